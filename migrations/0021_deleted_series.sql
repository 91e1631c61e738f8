CREATE TRIGGER `series_deleted` AFTER DELETE ON `series` BEGIN
  INSERT INTO `setting` (`name`, `value`) VALUES ('deleted_series', '1')
  ON CONFLICT (`name`) DO UPDATE SET `value` = CAST(CAST(`value` AS INTEGER) + 1 AS TEXT);
END;
