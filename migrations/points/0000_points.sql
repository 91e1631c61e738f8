CREATE TABLE `point` (
	`series_id` integer NOT NULL,
	`time` integer NOT NULL,
	`value` blob NOT NULL,
	PRIMARY KEY(`series_id`, `time`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `setting` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);

