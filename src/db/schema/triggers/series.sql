-- The root that the points of a new series count to.

CREATE TRIGGER `series_counted` AFTER INSERT ON `series` BEGIN
  INSERT INTO `counted_series` (`series_id`, `root_id`)
  SELECT NEW.`id`, `device`.`counted_to` FROM `tag_set` JOIN `device` ON `device`.`id` = `tag_set`.`device_id`
  WHERE `tag_set`.`id` = NEW.`tag_set_id` AND `device`.`counted_to` IS NOT NULL;
END;

CREATE TRIGGER `series_discounted` AFTER DELETE ON `series` BEGIN
  DELETE FROM `counted_series` WHERE `series_id` = OLD.`id`;
END;

-- Processes remember series until one is deleted. One that is deleted after its device need not be counted: the deletion
-- of the device has ended all grants by which a process remembers it, and the device's id, like that of the series, is
-- never given again.

CREATE TRIGGER `series_deleted` AFTER DELETE ON `series` WHEN EXISTS (
  SELECT 1 FROM `tag_set` JOIN `device` ON `device`.`id` = `tag_set`.`device_id` WHERE `tag_set`.`id` = `old`.`tag_set_id`
) BEGIN
  INSERT INTO `setting` (`name`, `value`) VALUES ('deleted_series', '1')
  ON CONFLICT (`name`) DO UPDATE SET `value` = CAST(CAST(`value` AS INTEGER) + 1 AS TEXT);
END;
