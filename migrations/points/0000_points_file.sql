CREATE TABLE `block` (
	`id` integer PRIMARY KEY NOT NULL,
	`points` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `block_range` (
	`series_id` integer PRIMARY KEY NOT NULL,
	`first_hour` integer NOT NULL,
	`last_hour` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `carry_state` (
	`id` integer PRIMARY KEY NOT NULL,
	`hour` integer NOT NULL,
	`phase` integer NOT NULL,
	`copied_to` integer NOT NULL,
	CONSTRAINT "carry_state_only" CHECK("carry_state"."id" = 1),
	CONSTRAINT "carry_state_phase" CHECK("carry_state"."phase" IN (0, 1, 2))
);
--> statement-breakpoint
CREATE TABLE `counted_series` (
	`series_id` integer PRIMARY KEY NOT NULL,
	`root_id` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `hour_summary` (
	`series_id` integer NOT NULL,
	`hour` integer NOT NULL,
	`summary` text NOT NULL,
	PRIMARY KEY(`series_id`, `hour`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `point` (
	`series_id` integer NOT NULL,
	`time` integer NOT NULL,
	`value` blob NOT NULL,
	PRIMARY KEY(`series_id`, `time`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `recent_point` (
	`slot` integer NOT NULL,
	`series_id` integer NOT NULL,
	`time` integer NOT NULL,
	`value` blob NOT NULL,
	PRIMARY KEY(`slot`, `series_id`, `time`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `root_points` (
	`root_id` integer PRIMARY KEY NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `root_points_by_bytes` ON `root_points` (`bytes`);--> statement-breakpoint
CREATE TABLE `setting` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
