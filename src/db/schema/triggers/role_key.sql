-- The tombstones of keys.

CREATE TRIGGER `key_deleted` AFTER DELETE ON `role_key` BEGIN
  INSERT INTO `deleted_key` (`id`, `role_id`, `name`, `created_by`, `rev`)
  VALUES (OLD.`id`, OLD.`role_id`, OLD.`name`, OLD.`created_by`, (SELECT coalesce(max(`rev`), 0) FROM `change_log`));
END;
