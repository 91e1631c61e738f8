ALTER TABLE `user_account` ADD `external_id` text;--> statement-breakpoint
CREATE UNIQUE INDEX `user_account_by_external_id` ON `user_account` (`external_id`) WHERE external_id IS NOT NULL;--> statement-breakpoint
ALTER TABLE `role` ADD `external_id` text;--> statement-breakpoint
ALTER TABLE `role` ADD `external_root` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `role_by_external_id` ON `role` (`external_id`,`external_root`) WHERE external_id IS NOT NULL;--> statement-breakpoint
ALTER TABLE `role_history` ADD `external_id` text;--> statement-breakpoint
ALTER TABLE `role_history` ADD `external_root` integer;--> statement-breakpoint
ALTER TABLE `role_key` ADD `provisions` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `device` ADD `external_id` text;--> statement-breakpoint
ALTER TABLE `device` ADD `external_root` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `device_by_external_id` ON `device` (`external_id`,`external_root`) WHERE external_id IS NOT NULL;--> statement-breakpoint
ALTER TABLE `gone_device` ADD `external_id` text;--> statement-breakpoint
ALTER TABLE `gone_device` ADD `external_root` integer;--> statement-breakpoint
DROP TRIGGER `role_history_deleted`;--> statement-breakpoint
CREATE TRIGGER `role_history_deleted` AFTER DELETE ON `role` BEGIN
  DELETE FROM `role_history` WHERE `role_id` = OLD.`id` AND `to_rev` = 9007199254740991 AND `from_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`);
  UPDATE `role_history` SET `to_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`), `needs` = OLD.`needs`, `needs_before` = OLD.`needs_before`, `needs_from` = OLD.`needs_from`,
    `external_id` = OLD.`external_id`, `external_root` = OLD.`external_root`
  WHERE `role_id` = OLD.`id` AND `to_rev` = 9007199254740991;
END;
