-- Counts of quotas, history (see `graph/history`), the demand that memberships repeat, and the index of texts.

CREATE TRIGGER `role_counted` AFTER INSERT ON `role`
WHEN NEW.`counted_to` IS NOT NULL BEGIN
  INSERT INTO `root_usage` (`root_id`, `branch`, `roles`) VALUES (NEW.`counted_to`, '', 1)
    ON CONFLICT (`root_id`, `branch`) DO UPDATE SET `roles` = `roles` + 1;
  INSERT INTO `root_usage` (`root_id`, `branch`, `roles`) SELECT NEW.`counted_to`, NEW.`counted_for`, 1 WHERE NEW.`counted_for` IS NOT NULL
    ON CONFLICT (`root_id`, `branch`) DO UPDATE SET `roles` = `roles` + 1;
END;

CREATE TRIGGER `role_discounted` AFTER DELETE ON `role`
WHEN OLD.`counted_to` IS NOT NULL BEGIN
  UPDATE `root_usage` SET `roles` = `roles` - 1 WHERE `root_id` = OLD.`counted_to` AND `branch` IN ('', OLD.`counted_for`);
END;

CREATE TRIGGER `role_history_inserted` AFTER INSERT ON `role` BEGIN
  INSERT INTO `role_history` (`role_id`, `self_rights`, `name`, `from_rev`, `to_rev`) VALUES (NEW.`id`, NEW.`self_rights`, NEW.`name`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991);
END;

CREATE TRIGGER `role_history_updated` AFTER UPDATE OF `self_rights`, `name` ON `role`
WHEN NEW.`self_rights` IS NOT OLD.`self_rights` OR NEW.`name` IS NOT OLD.`name` BEGIN
  DELETE FROM `role_history` WHERE `role_id` = OLD.`id` AND `to_rev` = 9007199254740991 AND `from_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`);
  UPDATE `role_history` SET `to_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`) WHERE `role_id` = OLD.`id` AND `to_rev` = 9007199254740991;
  INSERT INTO `role_history` (`role_id`, `self_rights`, `name`, `from_rev`, `to_rev`) VALUES (NEW.`id`, NEW.`self_rights`, NEW.`name`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991);
END;

CREATE TRIGGER `role_history_deleted` AFTER DELETE ON `role` BEGIN
  DELETE FROM `role_history` WHERE `role_id` = OLD.`id` AND `to_rev` = 9007199254740991 AND `from_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`);
  UPDATE `role_history` SET `to_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`), `needs` = OLD.`needs`, `needs_before` = OLD.`needs_before`, `needs_from` = OLD.`needs_from`,
    `external_id` = OLD.`external_id`, `external_root` = OLD.`external_root`
  WHERE `role_id` = OLD.`id` AND `to_rev` = 9007199254740991;
END;

CREATE TRIGGER `role_demand_inserted` AFTER INSERT ON `role` WHEN NEW.`needs` > 0 BEGIN
  UPDATE `member` SET `needs` = NEW.`needs`, `needs_before` = NEW.`needs_before`, `needs_from` = NEW.`needs_from` WHERE `role_id` = NEW.`id` AND `user_id` > 0;
END;

CREATE TRIGGER `role_demand_updated` AFTER UPDATE OF `needs`, `needs_before`, `needs_from` ON `role` BEGIN
  UPDATE `member` SET `needs` = NEW.`needs`, `needs_before` = NEW.`needs_before`, `needs_from` = NEW.`needs_from`,
    `met_at` = CASE WHEN NEW.`needs` BETWEEN 1 AND OLD.`needs` THEN `met_at` END
  WHERE `role_id` = NEW.`id` AND `user_id` > 0
    AND (`needs`, `needs_before`, `needs_from`) IS NOT (NEW.`needs`, NEW.`needs_before`, NEW.`needs_from`);
END;

CREATE TRIGGER `role_search_inserted` AFTER INSERT ON `role` BEGIN
  INSERT INTO `role_search` (`rowid`, `name`) VALUES (NEW.`id`, NEW.`name`);
END;

CREATE TRIGGER `role_search_updated` AFTER UPDATE OF `name` ON `role`
WHEN NEW.`name` IS NOT OLD.`name` BEGIN
  INSERT INTO `role_search` (`role_search`, `rowid`, `name`) VALUES ('delete', OLD.`id`, OLD.`name`);
  INSERT INTO `role_search` (`rowid`, `name`) VALUES (NEW.`id`, NEW.`name`);
END;

CREATE TRIGGER `role_search_deleted` AFTER DELETE ON `role` BEGIN
  INSERT INTO `role_search` (`role_search`, `rowid`, `name`) VALUES ('delete', OLD.`id`, OLD.`name`);
END;
