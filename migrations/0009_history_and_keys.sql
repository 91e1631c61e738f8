CREATE TABLE `manages_history` (
	`relation_id` integer NOT NULL,
	`parent_id` integer NOT NULL,
	`child_id` integer NOT NULL,
	`rights` integer NOT NULL,
	`from_rev` integer NOT NULL,
	`to_rev` integer NOT NULL,
	PRIMARY KEY(`relation_id`, `to_rev`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `manages_history_into_child` ON `manages_history` (`child_id`,`to_rev`,`from_rev`,`parent_id`,`rights`);--> statement-breakpoint
CREATE INDEX `manages_history_closed` ON `manages_history` (`to_rev`) WHERE to_rev < 9007199254740991;--> statement-breakpoint
CREATE TABLE `member_history` (
	`member_id` integer NOT NULL,
	`role_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`rights` integer NOT NULL,
	`ends_at` integer,
	`from_rev` integer NOT NULL,
	`to_rev` integer NOT NULL,
	PRIMARY KEY(`member_id`, `to_rev`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `member_history_of_user` ON `member_history` (`user_id`,`to_rev`);--> statement-breakpoint
CREATE INDEX `member_history_of_role` ON `member_history` (`role_id`,`user_id`,`to_rev`);--> statement-breakpoint
CREATE INDEX `member_history_closed` ON `member_history` (`to_rev`) WHERE to_rev < 9007199254740991;--> statement-breakpoint
CREATE TABLE `role_history` (
	`role_id` integer NOT NULL,
	`self_rights` integer NOT NULL,
	`from_rev` integer NOT NULL,
	`to_rev` integer NOT NULL,
	PRIMARY KEY(`role_id`, `to_rev`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `role_history_closed` ON `role_history` (`to_rev`) WHERE to_rev < 9007199254740991;--> statement-breakpoint
CREATE TABLE `role_key` (
	`id` integer PRIMARY KEY NOT NULL,
	`role_id` integer NOT NULL,
	`name` text NOT NULL,
	`prefix` text NOT NULL,
	`secret_mac` text NOT NULL,
	`asks` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` integer,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE INDEX `role_key_of_role` ON `role_key` (`role_id`,`id`);--> statement-breakpoint
CREATE INDEX `role_key_of_maker` ON `role_key` (`created_by`,`created_at`) WHERE created_by IS NOT NULL;--> statement-breakpoint
ALTER TABLE `member` ADD `rights` integer DEFAULT 63 NOT NULL;--> statement-breakpoint
ALTER TABLE `member` ADD `ends_at` integer;--> statement-breakpoint
CREATE INDEX `member_acting` ON `member` (`user_id`,`role_id`,`ends_at`,`rights`);--> statement-breakpoint
CREATE INDEX `member_of_role_by_user` ON `member` (`role_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `member_by_end` ON `member` (`ends_at`) WHERE ends_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `change_log_of_role` ON `change_log` (`role_id`,`rev`);--> statement-breakpoint
CREATE INDEX `change_log_of_parent` ON `change_log` (`parent_id`,`rev`);--> statement-breakpoint
CREATE INDEX `change_log_previews` ON `change_log` (`at`) WHERE kind LIKE '%.dry_run';--> statement-breakpoint
INSERT INTO `role_history` (`role_id`, `self_rights`, `from_rev`, `to_rev`)
SELECT `id`, `self_rights`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991 FROM `role`;--> statement-breakpoint
CREATE TRIGGER `role_history_inserted` AFTER INSERT ON `role` BEGIN
  INSERT INTO `role_history` (`role_id`, `self_rights`, `from_rev`, `to_rev`) VALUES (NEW.`id`, NEW.`self_rights`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991);
END;--> statement-breakpoint
CREATE TRIGGER `role_history_updated` AFTER UPDATE OF `self_rights` ON `role`
WHEN NEW.`self_rights` IS NOT OLD.`self_rights` BEGIN
  DELETE FROM `role_history` WHERE `role_id` = OLD.`id` AND `to_rev` = 9007199254740991 AND `from_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`);
  UPDATE `role_history` SET `to_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`) WHERE `role_id` = OLD.`id` AND `to_rev` = 9007199254740991;
  INSERT INTO `role_history` (`role_id`, `self_rights`, `from_rev`, `to_rev`) VALUES (NEW.`id`, NEW.`self_rights`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991);
END;--> statement-breakpoint
CREATE TRIGGER `role_history_deleted` AFTER DELETE ON `role` BEGIN
  DELETE FROM `role_history` WHERE `role_id` = OLD.`id` AND `to_rev` = 9007199254740991 AND `from_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`);
  UPDATE `role_history` SET `to_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`) WHERE `role_id` = OLD.`id` AND `to_rev` = 9007199254740991;
END;--> statement-breakpoint
INSERT INTO `manages_history` (`relation_id`, `parent_id`, `child_id`, `rights`, `from_rev`, `to_rev`)
SELECT `id`, `parent_id`, `child_id`, `rights`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991 FROM `manages`;--> statement-breakpoint
CREATE TRIGGER `manages_history_inserted` AFTER INSERT ON `manages` BEGIN
  INSERT INTO `manages_history` (`relation_id`, `parent_id`, `child_id`, `rights`, `from_rev`, `to_rev`) VALUES (NEW.`id`, NEW.`parent_id`, NEW.`child_id`, NEW.`rights`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991);
END;--> statement-breakpoint
CREATE TRIGGER `manages_history_updated` AFTER UPDATE OF `rights` ON `manages`
WHEN NEW.`rights` IS NOT OLD.`rights` BEGIN
  DELETE FROM `manages_history` WHERE `relation_id` = OLD.`id` AND `to_rev` = 9007199254740991 AND `from_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`);
  UPDATE `manages_history` SET `to_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`) WHERE `relation_id` = OLD.`id` AND `to_rev` = 9007199254740991;
  INSERT INTO `manages_history` (`relation_id`, `parent_id`, `child_id`, `rights`, `from_rev`, `to_rev`) VALUES (NEW.`id`, NEW.`parent_id`, NEW.`child_id`, NEW.`rights`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991);
END;--> statement-breakpoint
CREATE TRIGGER `manages_history_deleted` AFTER DELETE ON `manages` BEGIN
  DELETE FROM `manages_history` WHERE `relation_id` = OLD.`id` AND `to_rev` = 9007199254740991 AND `from_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`);
  UPDATE `manages_history` SET `to_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`) WHERE `relation_id` = OLD.`id` AND `to_rev` = 9007199254740991;
END;--> statement-breakpoint
INSERT INTO `member_history` (`member_id`, `role_id`, `user_id`, `rights`, `ends_at`, `from_rev`, `to_rev`)
SELECT `id`, `role_id`, `user_id`, `rights`, `ends_at`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991 FROM `member`;--> statement-breakpoint
CREATE TRIGGER `member_history_inserted` AFTER INSERT ON `member` BEGIN
  INSERT INTO `member_history` (`member_id`, `role_id`, `user_id`, `rights`, `ends_at`, `from_rev`, `to_rev`) VALUES (NEW.`id`, NEW.`role_id`, NEW.`user_id`, NEW.`rights`, NEW.`ends_at`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991);
END;--> statement-breakpoint
CREATE TRIGGER `member_history_updated` AFTER UPDATE OF `rights`, `ends_at` ON `member`
WHEN NEW.`rights` IS NOT OLD.`rights` OR NEW.`ends_at` IS NOT OLD.`ends_at` BEGIN
  DELETE FROM `member_history` WHERE `member_id` = OLD.`id` AND `to_rev` = 9007199254740991 AND `from_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`);
  UPDATE `member_history` SET `to_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`) WHERE `member_id` = OLD.`id` AND `to_rev` = 9007199254740991;
  INSERT INTO `member_history` (`member_id`, `role_id`, `user_id`, `rights`, `ends_at`, `from_rev`, `to_rev`) VALUES (NEW.`id`, NEW.`role_id`, NEW.`user_id`, NEW.`rights`, NEW.`ends_at`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991);
END;--> statement-breakpoint
CREATE TRIGGER `member_history_deleted` AFTER DELETE ON `member` BEGIN
  DELETE FROM `member_history` WHERE `member_id` = OLD.`id` AND `to_rev` = 9007199254740991 AND `from_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`);
  UPDATE `member_history` SET `to_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`) WHERE `member_id` = OLD.`id` AND `to_rev` = 9007199254740991;
END;--> statement-breakpoint
CREATE TRIGGER `change_log_in_order` AFTER INSERT ON `change_log`
WHEN NEW.`at` < (SELECT `at` FROM `change_log` WHERE `rev` < NEW.`rev` ORDER BY `rev` DESC LIMIT 1) BEGIN
  UPDATE `change_log` SET `at` = (SELECT `at` FROM `change_log` WHERE `rev` < NEW.`rev` ORDER BY `rev` DESC LIMIT 1)
  WHERE `rev` = NEW.`rev`;
END;--> statement-breakpoint
INSERT INTO `setting` (`name`, `value`) VALUES ('history_from', (SELECT CAST(coalesce(max(`rev`), 0) AS TEXT) FROM `change_log`));
