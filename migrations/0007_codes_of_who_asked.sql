ALTER TABLE `one_time_code` ADD `session_id` text;--> statement-breakpoint
ALTER TABLE `partial_login` ADD `from_known_address` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `second_factor` ADD `activated_by` text;--> statement-breakpoint
ALTER TABLE `second_factor` ADD `stranger_mails_of_day` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `second_factor` ADD `stranger_next_mail_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `undo_link` ADD `begun_at` integer;--> statement-breakpoint
ALTER TABLE `undo_link` ADD `begun_by` text;--> statement-breakpoint
ALTER TABLE `undo_link` ADD `completed_by` text;--> statement-breakpoint
UPDATE `second_factor` SET `activated_by` = (SELECT `session_id` FROM `security_event` WHERE `at` = `second_factor`.`activated_at` AND +`user_id` = `second_factor`.`user_id` AND `result` = 'ok' AND `event` IN ('totp.activate', 'email_otp.activate', 'recovery_code.reset') LIMIT 1) WHERE `activated_at` IS NOT NULL;--> statement-breakpoint
UPDATE `undo_link` SET `completed_by` = (SELECT `session_id` FROM `security_event` WHERE `at` = `undo_link`.`created_at` AND +`user_id` = `undo_link`.`user_id` AND `result` = 'ok' AND `event` = 'email.transfer' LIMIT 1);
