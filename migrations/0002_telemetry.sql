CREATE TABLE `device` (
	`id` integer PRIMARY KEY NOT NULL,
	`node_id` text NOT NULL,
	`properties` text NOT NULL,
	`updated_at` integer NOT NULL,
	`has_points` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `device_node_id_unique` ON `device` (`node_id`);--> statement-breakpoint
CREATE TABLE `gone_device` (
	`device_id` integer PRIMARY KEY NOT NULL,
	`node_id` text NOT NULL,
	`gone_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `gone_device_node_id_unique` ON `gone_device` (`node_id`);--> statement-breakpoint
CREATE INDEX `gone_device_by_time` ON `gone_device` (`gone_at`);--> statement-breakpoint
CREATE TABLE `monitors` (
	`id` integer PRIMARY KEY NOT NULL,
	`role_id` integer NOT NULL,
	`device_id` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `monitors_of_role` ON `monitors` (`role_id`,`id`);--> statement-breakpoint
CREATE INDEX `monitors_by_role` ON `monitors` (`role_id`,`device_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `monitors_of_pair` ON `monitors` (`device_id`,`role_id`);--> statement-breakpoint
CREATE TABLE `point` (
	`series_id` integer NOT NULL,
	`time` integer NOT NULL,
	`value` blob NOT NULL,
	PRIMARY KEY(`series_id`, `time`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `rate_bucket` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`level` real NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `rate_bucket_by_time` ON `rate_bucket` (`at`);--> statement-breakpoint
CREATE TABLE `series` (
	`id` integer PRIMARY KEY NOT NULL,
	`tag_set_id` integer NOT NULL,
	`field` text NOT NULL,
	`kind` text NOT NULL,
	CONSTRAINT "series_kind" CHECK("series"."kind" IN ('number', 'boolean', 'string'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `series_of_field` ON `series` (`tag_set_id`,`field`);--> statement-breakpoint
CREATE TABLE `tag_set` (
	`id` integer PRIMARY KEY NOT NULL,
	`device_id` integer NOT NULL,
	`measurement` text NOT NULL,
	`database` text NOT NULL,
	`retention_policy` text NOT NULL,
	`tags` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tag_set_of_place` ON `tag_set` (`device_id`,`measurement`,`database`,`retention_policy`,`tags`);--> statement-breakpoint
ALTER TABLE `change_log` ADD `device_id` integer;--> statement-breakpoint
ALTER TABLE `change_log` ADD `gone_device_ids` text;