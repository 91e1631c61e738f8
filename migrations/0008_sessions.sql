ALTER TABLE `session` ADD `skipped` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `session` ADD `issued_at` integer;--> statement-breakpoint
ALTER TABLE `session` ADD `issued_to` text;--> statement-breakpoint
CREATE INDEX `session_open_of_user` ON `session` (`user_id`,`created_at`) WHERE ended_at IS NULL;--> statement-breakpoint
CREATE INDEX `partial_login_open_of_user` ON `partial_login` (`user_id`,`authenticated_at`) WHERE ended_at IS NULL;