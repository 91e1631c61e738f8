CREATE TABLE `import_chunk` (
	`import_id` text NOT NULL,
	`kind` text NOT NULL,
	`position` integer NOT NULL,
	`created_at` integer NOT NULL,
	`rows` text NOT NULL,
	PRIMARY KEY(`import_id`, `kind`, `position`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `import_chunk_by_time` ON `import_chunk` (`created_at`);--> statement-breakpoint
CREATE TABLE `idempotency_key` (
	`user_id` integer NOT NULL,
	`key` text NOT NULL,
	`op_id` text NOT NULL,
	`fingerprint` text NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_key_by_expiry` ON `idempotency_key` (`expires_at`);