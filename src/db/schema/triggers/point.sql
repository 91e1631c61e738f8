-- The bytes that count to roots: a row takes some 30 besides its text.

CREATE TRIGGER `point_counted` AFTER INSERT ON `point` BEGIN
  UPDATE `root_points` SET `bytes` = `bytes` + 30 + iif(typeof(NEW.`value`) = 'text', octet_length(NEW.`value`), 0)
  WHERE `root_id` = (SELECT `root_id` FROM `counted_series` WHERE `series_id` = NEW.`series_id`);
END;

CREATE TRIGGER `point_recounted` AFTER UPDATE OF `value` ON `point` WHEN typeof(NEW.`value`) = 'text' BEGIN
  UPDATE `root_points` SET `bytes` = max(0, `bytes` + octet_length(NEW.`value`) - octet_length(OLD.`value`))
  WHERE `root_id` = (SELECT `root_id` FROM `counted_series` WHERE `series_id` = NEW.`series_id`);
END;

CREATE TRIGGER `point_discounted` AFTER DELETE ON `point` BEGIN
  UPDATE `root_points` SET `bytes` = max(0, `bytes` - 30 - iif(typeof(OLD.`value`) = 'text', octet_length(OLD.`value`), 0))
  WHERE `root_id` = (SELECT `root_id` FROM `counted_series` WHERE `series_id` = OLD.`series_id`);
END;
