ALTER TABLE `series` ADD `last_day` integer;--> statement-breakpoint
CREATE INDEX `series_by_last_day` ON `series` (`last_day`) WHERE "series"."last_day" IS NOT NULL;--> statement-breakpoint
UPDATE `series` SET `last_day` = unixepoch() / 86400 WHERE NOT EXISTS (SELECT 1 FROM `point` WHERE `point`.`series_id` = `series`.`id`);
