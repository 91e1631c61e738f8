-- History (see `graph/history`), and the demand of the role.

CREATE TRIGGER `member_history_inserted` AFTER INSERT ON `member` BEGIN
  INSERT INTO `member_history` (`member_id`, `role_id`, `user_id`, `rights`, `ends_at`, `given_by`, `given_via`, `chain`, `from_rev`, `to_rev`) VALUES (NEW.`id`, NEW.`role_id`, NEW.`user_id`, NEW.`rights`, NEW.`ends_at`, NEW.`given_by`, NEW.`given_via`, NEW.`chain`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991);
END;

CREATE TRIGGER `member_history_updated` AFTER UPDATE OF `rights`, `ends_at` ON `member`
WHEN NEW.`rights` IS NOT OLD.`rights` OR NEW.`ends_at` IS NOT OLD.`ends_at` BEGIN
  DELETE FROM `member_history` WHERE `member_id` = OLD.`id` AND `to_rev` = 9007199254740991 AND `from_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`);
  UPDATE `member_history` SET `to_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`) WHERE `member_id` = OLD.`id` AND `to_rev` = 9007199254740991;
  INSERT INTO `member_history` (`member_id`, `role_id`, `user_id`, `rights`, `ends_at`, `given_by`, `given_via`, `chain`, `from_rev`, `to_rev`) VALUES (NEW.`id`, NEW.`role_id`, NEW.`user_id`, NEW.`rights`, NEW.`ends_at`, NEW.`given_by`, NEW.`given_via`, NEW.`chain`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991);
END;

CREATE TRIGGER `member_history_deleted` AFTER DELETE ON `member` BEGIN
  DELETE FROM `member_history` WHERE `member_id` = OLD.`id` AND `to_rev` = 9007199254740991 AND `from_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`);
  UPDATE `member_history` SET `to_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`) WHERE `member_id` = OLD.`id` AND `to_rev` = 9007199254740991;
END;

CREATE TRIGGER `member_demand_inserted` AFTER INSERT ON `member`
WHEN NEW.`user_id` > 0 AND EXISTS (SELECT 1 FROM `role` WHERE `id` = NEW.`role_id` AND `needs` > 0) BEGIN
  UPDATE `member` SET (`needs`, `needs_before`, `needs_from`) = (SELECT `needs`, `needs_before`, `needs_from` FROM `role` WHERE `id` = NEW.`role_id`) WHERE `id` = NEW.`id`;
END;
