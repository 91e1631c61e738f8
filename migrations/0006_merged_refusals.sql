ALTER TABLE `security_event` ADD `attempts` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `security_event` ADD `merge_key` text;--> statement-breakpoint
CREATE UNIQUE INDEX `security_event_merged` ON `security_event` (`merge_key`) WHERE merge_key IS NOT NULL;--> statement-breakpoint
ALTER TABLE `change_log` ADD `attempts` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `change_log` ADD `merge_key` text;--> statement-breakpoint
CREATE UNIQUE INDEX `change_log_merged` ON `change_log` (`merge_key`) WHERE merge_key IS NOT NULL;--> statement-breakpoint
ALTER TABLE `role` ADD `password_set_by` integer;--> statement-breakpoint
ALTER TABLE `role` ADD `password_set_at` integer;--> statement-breakpoint
CREATE INDEX `role_password_of_user` ON `role` (`password_set_by`) WHERE password_set_by IS NOT NULL;--> statement-breakpoint
UPDATE `role` SET (`password_set_by`, `password_set_at`) = (
  SELECT latest.`actor_id`, latest.`at` FROM (
    SELECT `role_id`, `actor_id`, `at`, max(`rev`) FROM `change_log`
    WHERE `kind` = 'role.password_set' AND `decision` = 'ok' GROUP BY `role_id`) latest
  WHERE latest.`role_id` = `role`.`id`)
WHERE `password_hash` IS NOT NULL;
