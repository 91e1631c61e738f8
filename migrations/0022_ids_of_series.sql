CREATE TABLE `__new_series` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tag_set_id` integer NOT NULL,
	`field` text NOT NULL,
	`kind` text NOT NULL,
	`last_day` integer,
	CONSTRAINT "series_kind" CHECK("__new_series"."kind" IN ('number', 'boolean', 'string'))
);
--> statement-breakpoint
INSERT INTO `__new_series`("id", "tag_set_id", "field", "kind", "last_day") SELECT "id", "tag_set_id", "field", "kind", "last_day" FROM `series`;--> statement-breakpoint
DROP TABLE `series`;--> statement-breakpoint
ALTER TABLE `__new_series` RENAME TO `series`;--> statement-breakpoint
CREATE INDEX `series_by_last_day` ON `series` (`last_day`) WHERE "series"."last_day" IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `series_of_field` ON `series` (`tag_set_id`,`field`);--> statement-breakpoint
CREATE TRIGGER `series_deleted` AFTER DELETE ON `series` BEGIN
  INSERT INTO `setting` (`name`, `value`) VALUES ('deleted_series', '1')
  ON CONFLICT (`name`) DO UPDATE SET `value` = CAST(CAST(`value` AS INTEGER) + 1 AS TEXT);
END;
