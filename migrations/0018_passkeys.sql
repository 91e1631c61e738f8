CREATE TABLE `factor_link` (
	`mac` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`kind` text NOT NULL,
	`passkey_id` integer,
	`activated_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `factor_link_of_user` ON `factor_link` (`user_id`);--> statement-breakpoint
CREATE INDEX `factor_link_by_expiry` ON `factor_link` (`expires_at`);--> statement-breakpoint
CREATE TABLE `passkey` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`credential_id` text NOT NULL,
	`public_key` text NOT NULL,
	`user_handle` text NOT NULL,
	`name` text NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`uv_initialized` integer NOT NULL,
	`backup_eligible` integer NOT NULL,
	`backed_up` integer NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`last_used_at` integer,
	`meets` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `passkey_credential_id_unique` ON `passkey` (`credential_id`);--> statement-breakpoint
CREATE INDEX `passkey_of_user` ON `passkey` (`user_id`,`id`);--> statement-breakpoint
CREATE TABLE `used_challenge` (
	`id` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `used_challenge_by_expiry` ON `used_challenge` (`expires_at`);--> statement-breakpoint
ALTER TABLE `second_factor` ADD `meets` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `session` ADD `methods` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `session` ADD `meets` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `session` SET `methods` = 3 WHERE `assurance_level` = 2;--> statement-breakpoint
UPDATE `second_factor` SET `meets` = 1 WHERE `kind` = 'totp' AND `activated_at` IS NOT NULL;
