-- The bytes that count to roots: a row takes some 20 besides its text. The last 36 bits of the id are the series.

CREATE TRIGGER `block_counted` AFTER INSERT ON `block` BEGIN
  UPDATE `root_points` SET `bytes` = `bytes` + 20 + octet_length(NEW.`points`)
  WHERE `root_id` = (SELECT `root_id` FROM `counted_series` WHERE `series_id` = NEW.`id` & 68719476735);
END;

CREATE TRIGGER `block_discounted` AFTER DELETE ON `block` BEGIN
  UPDATE `root_points` SET `bytes` = max(0, `bytes` - 20 - octet_length(OLD.`points`))
  WHERE `root_id` = (SELECT `root_id` FROM `counted_series` WHERE `series_id` = OLD.`id` & 68719476735);
END;
