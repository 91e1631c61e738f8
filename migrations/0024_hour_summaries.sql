CREATE TABLE `hour_summary` (
	`series_id` integer NOT NULL,
	`hour` integer NOT NULL,
	`summary` text NOT NULL,
	PRIMARY KEY(`series_id`, `hour`)
) WITHOUT ROWID;
