ALTER TABLE `series` ADD `last_day` integer;--> statement-breakpoint
CREATE INDEX `series_by_last_day` ON `series` (`last_day`) WHERE "series"."last_day" IS NOT NULL;