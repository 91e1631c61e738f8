-- Counts of quotas, the index of texts, and what readers of ended periods may know.

CREATE TRIGGER `device_counted` AFTER INSERT ON `device`
WHEN NEW.`counted_to` IS NOT NULL BEGIN
  INSERT INTO `root_usage` (`root_id`, `branch`, `devices`) VALUES (NEW.`counted_to`, '', 1)
    ON CONFLICT (`root_id`, `branch`) DO UPDATE SET `devices` = `devices` + 1;
  INSERT INTO `root_usage` (`root_id`, `branch`, `devices`) SELECT NEW.`counted_to`, NEW.`counted_for`, 1 WHERE NEW.`counted_for` IS NOT NULL
    ON CONFLICT (`root_id`, `branch`) DO UPDATE SET `devices` = `devices` + 1;
END;

CREATE TRIGGER `device_discounted` AFTER DELETE ON `device`
WHEN OLD.`counted_to` IS NOT NULL BEGIN
  UPDATE `root_usage` SET `devices` = `devices` - 1 WHERE `root_id` = OLD.`counted_to` AND `branch` IN ('', OLD.`counted_for`);
END;

CREATE TRIGGER `device_search_inserted` AFTER INSERT ON `device` BEGIN
  INSERT INTO `device_search` (`rowid`, `node_id`, `name`) VALUES (NEW.`id`, NEW.`node_id`, NEW.`name`);
END;

CREATE TRIGGER `device_search_updated` AFTER UPDATE OF `node_id`, `properties` ON `device`
WHEN NEW.`node_id` IS NOT OLD.`node_id` OR NEW.`name` IS NOT OLD.`name` BEGIN
  INSERT INTO `device_search` (`device_search`, `rowid`, `node_id`, `name`) VALUES ('delete', OLD.`id`, OLD.`node_id`, OLD.`name`);
  INSERT INTO `device_search` (`rowid`, `node_id`, `name`) VALUES (NEW.`id`, NEW.`node_id`, NEW.`name`);
END;

CREATE TRIGGER `device_search_deleted` AFTER DELETE ON `device` BEGIN
  INSERT INTO `device_search` (`device_search`, `rowid`, `node_id`, `name`) VALUES ('delete', OLD.`id`, OLD.`node_id`, OLD.`name`);
END;

-- A period that ended before the device was as it is leaves nothing to keep: its readers are not told what came later.
CREATE TRIGGER `device_series_kept` AFTER UPDATE OF `properties` ON `device` BEGIN
  UPDATE `monitors` SET `series` = iif(OLD.`updated_at` <= `valid_until` AND octet_length(OLD.`properties`) <= 2048,
    coalesce(OLD.`properties` -> '$.nodeInfluxSeries', 'null'), 'null')
  WHERE `device_id` = NEW.`id` AND `series` IS NULL AND `valid_until` <= NEW.`updated_at`;
END;
