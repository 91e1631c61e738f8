-- History: see `graph/history`.

CREATE TRIGGER `manages_history_inserted` AFTER INSERT ON `manages` BEGIN
  INSERT INTO `manages_history` (`relation_id`, `parent_id`, `child_id`, `rights`, `by_password`, `given_by`, `given_via`, `from_rev`, `to_rev`) VALUES (NEW.`id`, NEW.`parent_id`, NEW.`child_id`, NEW.`rights`, NEW.`by_password`, NEW.`given_by`, NEW.`given_via`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991);
END;

CREATE TRIGGER `manages_history_updated` AFTER UPDATE OF `rights` ON `manages`
WHEN NEW.`rights` IS NOT OLD.`rights` BEGIN
  DELETE FROM `manages_history` WHERE `relation_id` = OLD.`id` AND `to_rev` = 9007199254740991 AND `from_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`);
  UPDATE `manages_history` SET `to_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`) WHERE `relation_id` = OLD.`id` AND `to_rev` = 9007199254740991;
  INSERT INTO `manages_history` (`relation_id`, `parent_id`, `child_id`, `rights`, `by_password`, `given_by`, `given_via`, `from_rev`, `to_rev`) VALUES (NEW.`id`, NEW.`parent_id`, NEW.`child_id`, NEW.`rights`, NEW.`by_password`, NEW.`given_by`, NEW.`given_via`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`), 9007199254740991);
END;

CREATE TRIGGER `manages_history_deleted` AFTER DELETE ON `manages` BEGIN
  DELETE FROM `manages_history` WHERE `relation_id` = OLD.`id` AND `to_rev` = 9007199254740991 AND `from_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`);
  UPDATE `manages_history` SET `to_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`) WHERE `relation_id` = OLD.`id` AND `to_rev` = 9007199254740991;
END;
