CREATE TABLE `deleted_key` (
	`id` integer PRIMARY KEY NOT NULL,
	`role_id` integer NOT NULL,
	`name` text NOT NULL,
	`created_by` integer,
	`rev` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `deleted_key_by_revision` ON `deleted_key` (`rev`);--> statement-breakpoint
ALTER TABLE `change_log` ADD `via_role_id` integer;--> statement-breakpoint
ALTER TABLE `manages` ADD `given_by` integer;--> statement-breakpoint
ALTER TABLE `manages` ADD `given_via` integer;--> statement-breakpoint
CREATE INDEX `manages_of_giver` ON `manages` (`given_by`,`id`) WHERE given_by IS NOT NULL;--> statement-breakpoint
ALTER TABLE `manages_history` ADD `by_password` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `manages_history` ADD `given_by` integer;--> statement-breakpoint
ALTER TABLE `manages_history` ADD `given_via` integer;--> statement-breakpoint
ALTER TABLE `member` ADD `given_by` integer;--> statement-breakpoint
ALTER TABLE `member` ADD `given_via` integer;--> statement-breakpoint
CREATE INDEX `member_of_giver` ON `member` (`given_by`,`id`) WHERE given_by IS NOT NULL;--> statement-breakpoint
ALTER TABLE `member_history` ADD `given_by` integer;--> statement-breakpoint
ALTER TABLE `member_history` ADD `given_via` integer;--> statement-breakpoint
ALTER TABLE `role` ADD `password_set_via` integer;--> statement-breakpoint
ALTER TABLE `role_history` ADD `name` text;--> statement-breakpoint
UPDATE `change_log` SET `via_role_id` = (
  SELECT CASE WHEN count(*) = 1 THEN max(`role_id`) END FROM (
    SELECT `role_id` FROM `member_history` WHERE `user_id` = `change_log`.`actor_id`
      AND `to_rev` >= `change_log`.`rev` AND `from_rev` < `change_log`.`rev` LIMIT 2))
WHERE `decision` IN ('ok', 'noop') AND `kind` NOT LIKE '%.dry_run';--> statement-breakpoint
UPDATE `member` SET `given_by` = `log`.`actor_id`, `given_via` = `log`.`via_role_id` FROM `change_log` AS `log`
WHERE `log`.`relation_id` = `member`.`id` AND `log`.`kind` IN ('member.add', 'key.create') AND `log`.`decision` = 'ok'
  AND `log`.`actor_id` <> 0;--> statement-breakpoint
UPDATE `manages` SET `given_by` = `log`.`actor_id`, `given_via` = `log`.`via_role_id` FROM `change_log` AS `log`
WHERE `log`.`relation_id` = `manages`.`id` AND `log`.`kind` IN ('role.create', 'manages.put', 'manages.move')
  AND `log`.`decision` = 'ok' AND `log`.`old_rights` IS NULL AND `log`.`actor_id` <> 0;--> statement-breakpoint
UPDATE `role` SET `password_set_via` = (
  SELECT `log`.`via_role_id` FROM `change_log` AS `log` WHERE `log`.`role_id` = `role`.`id`
    AND `log`.`kind` = 'role.password_set' AND `log`.`decision` = 'ok' ORDER BY `log`.`rev` DESC LIMIT 1)
WHERE `password_set_by` IS NOT NULL;--> statement-breakpoint
UPDATE `role_history` SET `name` = (SELECT `role`.`name` FROM `role` WHERE `role`.`id` = `role_id`) WHERE `to_rev` = 9007199254740991;--> statement-breakpoint
UPDATE `manages_history` SET (`by_password`, `given_by`, `given_via`) = (
  SELECT `by_password`, `given_by`, `given_via` FROM `manages` WHERE `manages`.`id` = `relation_id`)
WHERE `to_rev` = 9007199254740991;--> statement-breakpoint
UPDATE `member_history` SET (`given_by`, `given_via`) = (
  SELECT `given_by`, `given_via` FROM `member` WHERE `member`.`id` = `member_id`) WHERE `to_rev` = 9007199254740991;--> statement-breakpoint
INSERT INTO `deleted_key` (`id`, `role_id`, `name`, `created_by`, `rev`)
SELECT `relation_id`, `role_id`, coalesce(`details` ->> 'name', ''), nullif(`actor_id`, 0), (SELECT coalesce(max(`rev`), 0) FROM `change_log`) FROM `change_log`
WHERE `kind` = 'key.create' AND `decision` = 'ok' AND `relation_id` NOT IN (SELECT `id` FROM `role_key`);--> statement-breakpoint
DROP TRIGGER `role_history_inserted`;--> statement-breakpoint
DROP TRIGGER `role_history_updated`;--> statement-breakpoint
CREATE TRIGGER `role_history_inserted` AFTER INSERT ON `role` BEGIN
  INSERT INTO `role_history` (`role_id`, `self_rights`, `name`, `from_rev`, `to_rev`) VALUES (NEW.`id`, NEW.`self_rights`, NEW.`name`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991);
END;--> statement-breakpoint
CREATE TRIGGER `role_history_updated` AFTER UPDATE OF `self_rights`, `name` ON `role`
WHEN NEW.`self_rights` IS NOT OLD.`self_rights` OR NEW.`name` IS NOT OLD.`name` BEGIN
  DELETE FROM `role_history` WHERE `role_id` = OLD.`id` AND `to_rev` = 9007199254740991 AND `from_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`);
  UPDATE `role_history` SET `to_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`) WHERE `role_id` = OLD.`id` AND `to_rev` = 9007199254740991;
  INSERT INTO `role_history` (`role_id`, `self_rights`, `name`, `from_rev`, `to_rev`) VALUES (NEW.`id`, NEW.`self_rights`, NEW.`name`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991);
END;--> statement-breakpoint
DROP TRIGGER `manages_history_inserted`;--> statement-breakpoint
DROP TRIGGER `manages_history_updated`;--> statement-breakpoint
CREATE TRIGGER `manages_history_inserted` AFTER INSERT ON `manages` BEGIN
  INSERT INTO `manages_history` (`relation_id`, `parent_id`, `child_id`, `rights`, `by_password`, `given_by`, `given_via`, `from_rev`, `to_rev`) VALUES (NEW.`id`, NEW.`parent_id`, NEW.`child_id`, NEW.`rights`, NEW.`by_password`, NEW.`given_by`, NEW.`given_via`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991);
END;--> statement-breakpoint
CREATE TRIGGER `manages_history_updated` AFTER UPDATE OF `rights` ON `manages`
WHEN NEW.`rights` IS NOT OLD.`rights` BEGIN
  DELETE FROM `manages_history` WHERE `relation_id` = OLD.`id` AND `to_rev` = 9007199254740991 AND `from_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`);
  UPDATE `manages_history` SET `to_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`) WHERE `relation_id` = OLD.`id` AND `to_rev` = 9007199254740991;
  INSERT INTO `manages_history` (`relation_id`, `parent_id`, `child_id`, `rights`, `by_password`, `given_by`, `given_via`, `from_rev`, `to_rev`) VALUES (NEW.`id`, NEW.`parent_id`, NEW.`child_id`, NEW.`rights`, NEW.`by_password`, NEW.`given_by`, NEW.`given_via`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991);
END;--> statement-breakpoint
DROP TRIGGER `member_history_inserted`;--> statement-breakpoint
DROP TRIGGER `member_history_updated`;--> statement-breakpoint
CREATE TRIGGER `member_history_inserted` AFTER INSERT ON `member` BEGIN
  INSERT INTO `member_history` (`member_id`, `role_id`, `user_id`, `rights`, `ends_at`, `given_by`, `given_via`, `from_rev`, `to_rev`) VALUES (NEW.`id`, NEW.`role_id`, NEW.`user_id`, NEW.`rights`, NEW.`ends_at`, NEW.`given_by`, NEW.`given_via`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991);
END;--> statement-breakpoint
CREATE TRIGGER `member_history_updated` AFTER UPDATE OF `rights`, `ends_at` ON `member`
WHEN NEW.`rights` IS NOT OLD.`rights` OR NEW.`ends_at` IS NOT OLD.`ends_at` BEGIN
  DELETE FROM `member_history` WHERE `member_id` = OLD.`id` AND `to_rev` = 9007199254740991 AND `from_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`);
  UPDATE `member_history` SET `to_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`) WHERE `member_id` = OLD.`id` AND `to_rev` = 9007199254740991;
  INSERT INTO `member_history` (`member_id`, `role_id`, `user_id`, `rights`, `ends_at`, `given_by`, `given_via`, `from_rev`, `to_rev`) VALUES (NEW.`id`, NEW.`role_id`, NEW.`user_id`, NEW.`rights`, NEW.`ends_at`, NEW.`given_by`, NEW.`given_via`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991);
END;--> statement-breakpoint
CREATE TRIGGER `key_deleted` AFTER DELETE ON `role_key` BEGIN
  INSERT INTO `deleted_key` (`id`, `role_id`, `name`, `created_by`, `rev`)
  VALUES (OLD.`id`, OLD.`role_id`, OLD.`name`, OLD.`created_by`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`));
END;
