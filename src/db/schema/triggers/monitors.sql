-- Deleted relations, for those who restore what they were deleted with.

CREATE TRIGGER `monitors_deleted` AFTER DELETE ON `monitors` BEGIN
  INSERT INTO `deleted_monitors` (`monitors_id`, `role_id`, `device_id`, `valid_from`, `valid_until`, `rev`)
  VALUES (OLD.`id`, OLD.`role_id`, OLD.`device_id`, OLD.`valid_from`, OLD.`valid_until`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`));
END;
