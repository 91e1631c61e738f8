CREATE TABLE `deleted_monitors` (
	`monitors_id` integer NOT NULL,
	`role_id` integer NOT NULL,
	`device_id` integer NOT NULL,
	`rev` integer NOT NULL,
	`valid_from` integer,
	`valid_until` integer,
	PRIMARY KEY(`monitors_id`, `rev`)
);
--> statement-breakpoint
CREATE INDEX `deleted_monitors_by_revision` ON `deleted_monitors` (`rev`);--> statement-breakpoint
DROP INDEX `gone_device_by_time`;--> statement-breakpoint
ALTER TABLE `gone_device` ADD `purge_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `gone_device` ADD `rev` integer;--> statement-breakpoint
ALTER TABLE `gone_device` ADD `role_id` integer;--> statement-breakpoint
ALTER TABLE `gone_device` ADD `properties` text;--> statement-breakpoint
ALTER TABLE `gone_device` ADD `updated_at` integer;--> statement-breakpoint
ALTER TABLE `gone_device` ADD `has_points` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `gone_device` ADD `counted_to` integer;--> statement-breakpoint
ALTER TABLE `gone_device` ADD `counted_for` text;--> statement-breakpoint
CREATE INDEX `gone_device_by_purge` ON `gone_device` (`purge_at`);--> statement-breakpoint
CREATE INDEX `gone_device_by_revision` ON `gone_device` (`rev`);--> statement-breakpoint
ALTER TABLE `change_log` ADD `undoes` integer;--> statement-breakpoint
UPDATE `gone_device` SET `purge_at` = `gone_at`;--> statement-breakpoint
CREATE TRIGGER `monitors_deleted` AFTER DELETE ON `monitors` BEGIN
  INSERT INTO `deleted_monitors` (`monitors_id`, `role_id`, `device_id`, `valid_from`, `valid_until`, `rev`)
  VALUES (OLD.`id`, OLD.`role_id`, OLD.`device_id`, OLD.`valid_from`, OLD.`valid_until`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`));
END;--> statement-breakpoint
CREATE TRIGGER `gone_device_counted` AFTER INSERT ON `gone_device`
WHEN NEW.`counted_to` IS NOT NULL BEGIN
  INSERT INTO `root_usage` (`root_id`, `payer`, `devices`) VALUES (NEW.`counted_to`, '', 1)
    ON CONFLICT (`root_id`, `payer`) DO UPDATE SET `devices` = `devices` + 1;
  INSERT INTO `root_usage` (`root_id`, `payer`, `devices`) SELECT NEW.`counted_to`, NEW.`counted_for`, 1 WHERE NEW.`counted_for` IS NOT NULL
    ON CONFLICT (`root_id`, `payer`) DO UPDATE SET `devices` = `devices` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `gone_device_discounted` AFTER UPDATE OF `counted_to` ON `gone_device`
WHEN OLD.`counted_to` IS NOT NULL AND NEW.`counted_to` IS NULL BEGIN
  UPDATE `root_usage` SET `devices` = `devices` - 1 WHERE `root_id` = OLD.`counted_to` AND `payer` IN ('', OLD.`counted_for`);
END;--> statement-breakpoint
CREATE TRIGGER `gone_device_forgotten` AFTER DELETE ON `gone_device`
WHEN OLD.`counted_to` IS NOT NULL BEGIN
  UPDATE `root_usage` SET `devices` = `devices` - 1 WHERE `root_id` = OLD.`counted_to` AND `payer` IN ('', OLD.`counted_for`);
END;
