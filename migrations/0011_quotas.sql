CREATE TABLE `root_usage` (
	`root_id` integer NOT NULL,
	`payer` text NOT NULL,
	`roles` integer DEFAULT 0 NOT NULL,
	`devices` integer DEFAULT 0 NOT NULL,
	`free_at` real DEFAULT 0 NOT NULL,
	PRIMARY KEY(`root_id`, `payer`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `root_usage_unused` ON `root_usage` (`free_at`) WHERE roles = 0 AND devices = 0;--> statement-breakpoint
ALTER TABLE `change_log` ADD `counted_to` integer;--> statement-breakpoint
ALTER TABLE `change_log` ADD `counted_for` text;--> statement-breakpoint
ALTER TABLE `role` ADD `counted_to` integer;--> statement-breakpoint
ALTER TABLE `role` ADD `counted_for` text;--> statement-breakpoint
ALTER TABLE `device` ADD `counted_to` integer;--> statement-breakpoint
ALTER TABLE `device` ADD `counted_for` text;--> statement-breakpoint
CREATE TRIGGER `role_counted` AFTER INSERT ON `role`
WHEN NEW.`counted_to` IS NOT NULL BEGIN
  INSERT INTO `root_usage` (`root_id`, `payer`, `roles`) VALUES (NEW.`counted_to`, '', 1)
    ON CONFLICT (`root_id`, `payer`) DO UPDATE SET `roles` = `roles` + 1;
  INSERT INTO `root_usage` (`root_id`, `payer`, `roles`) SELECT NEW.`counted_to`, NEW.`counted_for`, 1 WHERE NEW.`counted_for` IS NOT NULL
    ON CONFLICT (`root_id`, `payer`) DO UPDATE SET `roles` = `roles` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `role_discounted` AFTER DELETE ON `role`
WHEN OLD.`counted_to` IS NOT NULL BEGIN
  UPDATE `root_usage` SET `roles` = `roles` - 1 WHERE `root_id` = OLD.`counted_to` AND `payer` IN ('', OLD.`counted_for`);
END;--> statement-breakpoint
CREATE TRIGGER `device_counted` AFTER INSERT ON `device`
WHEN NEW.`counted_to` IS NOT NULL BEGIN
  INSERT INTO `root_usage` (`root_id`, `payer`, `devices`) VALUES (NEW.`counted_to`, '', 1)
    ON CONFLICT (`root_id`, `payer`) DO UPDATE SET `devices` = `devices` + 1;
  INSERT INTO `root_usage` (`root_id`, `payer`, `devices`) SELECT NEW.`counted_to`, NEW.`counted_for`, 1 WHERE NEW.`counted_for` IS NOT NULL
    ON CONFLICT (`root_id`, `payer`) DO UPDATE SET `devices` = `devices` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `device_discounted` AFTER DELETE ON `device`
WHEN OLD.`counted_to` IS NOT NULL BEGIN
  UPDATE `root_usage` SET `devices` = `devices` - 1 WHERE `root_id` = OLD.`counted_to` AND `payer` IN ('', OLD.`counted_for`);
END;