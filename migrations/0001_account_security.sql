CREATE TABLE `one_time_code` (
	`purpose` text NOT NULL,
	`subject` text NOT NULL,
	`mac` text NOT NULL,
	`user_id` integer,
	`email` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`guesses_left` integer NOT NULL,
	`ended_at` integer,
	PRIMARY KEY(`purpose`, `subject`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `one_time_code_of_user` ON `one_time_code` (`user_id`);--> statement-breakpoint
CREATE INDEX `one_time_code_by_expiry` ON `one_time_code` (`expires_at`);--> statement-breakpoint
CREATE TABLE `partial_login` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`authenticated_at` integer NOT NULL,
	`security_version` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`client` text NOT NULL,
	`ended_at` integer
);
--> statement-breakpoint
CREATE INDEX `partial_login_of_user` ON `partial_login` (`user_id`);--> statement-breakpoint
CREATE INDEX `partial_login_by_expiry` ON `partial_login` (`expires_at`);--> statement-breakpoint
CREATE TABLE `recovery_code` (
	`user_id` integer NOT NULL,
	`position` integer NOT NULL,
	`hash` text NOT NULL,
	`used_at` integer,
	PRIMARY KEY(`user_id`, `position`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `reserved_email` (
	`email` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`reserved_until` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `reserved_email_by_expiry` ON `reserved_email` (`reserved_until`);--> statement-breakpoint
CREATE TABLE `second_factor` (
	`user_id` integer NOT NULL,
	`kind` text NOT NULL,
	`activated_at` integer,
	`email` text,
	`sealed_secret` text,
	`pending_email` text,
	`pending_sealed_secret` text,
	`pending_until` integer,
	`last_step` integer,
	`failures` integer DEFAULT 0 NOT NULL,
	`next_guess_at` integer DEFAULT 0 NOT NULL,
	`mails` integer DEFAULT 0 NOT NULL,
	`last_mail_at` integer,
	`next_mail_at` integer DEFAULT 0 NOT NULL,
	`mail_day_started_at` integer,
	`mails_of_day` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`user_id`, `kind`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `undo_link` (
	`mac` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`email` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`ended_at` integer
);
--> statement-breakpoint
CREATE INDEX `undo_link_of_user` ON `undo_link` (`user_id`);--> statement-breakpoint
CREATE INDEX `undo_link_by_expiry` ON `undo_link` (`expires_at`);--> statement-breakpoint
ALTER TABLE `user_account` ADD `security_version` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `outbox` ADD `detail` text;--> statement-breakpoint
ALTER TABLE `outbox` ADD `attempts` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `outbox` ADD `next_attempt_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `outbox` ADD `dropped_at` integer;--> statement-breakpoint
CREATE INDEX `outbox_to_deliver` ON `outbox` (`next_attempt_at`) WHERE delivered_at IS NULL AND dropped_at IS NULL;--> statement-breakpoint
ALTER TABLE `manages` ADD `by_password` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `role` ADD `password_hash` text;--> statement-breakpoint
ALTER TABLE `role` ADD `password_rights` integer;--> statement-breakpoint
CREATE INDEX `known_address_by_sign_in` ON `known_address` (`last_sign_in_at`);--> statement-breakpoint
CREATE INDEX `user_account_unopened` ON `user_account` (`created_at`) WHERE password_hash IS NULL;--> statement-breakpoint
CREATE INDEX `security_event_denied` ON `security_event` (`at`) WHERE result <> 'ok';--> statement-breakpoint
CREATE INDEX `second_factor_pending` ON `second_factor` (`pending_until`) WHERE pending_until IS NOT NULL;--> statement-breakpoint
CREATE INDEX `change_log_denied` ON `change_log` (`at`) WHERE decision NOT IN ('ok', 'noop');