-- Counts of quotas: a deleted device counts as long as its points are kept.

CREATE TRIGGER `gone_device_counted` AFTER INSERT ON `gone_device`
WHEN NEW.`counted_to` IS NOT NULL BEGIN
  INSERT INTO `root_usage` (`root_id`, `branch`, `devices`) VALUES (NEW.`counted_to`, '', 1)
    ON CONFLICT (`root_id`, `branch`) DO UPDATE SET `devices` = `devices` + 1;
  INSERT INTO `root_usage` (`root_id`, `branch`, `devices`) SELECT NEW.`counted_to`, NEW.`counted_for`, 1 WHERE NEW.`counted_for` IS NOT NULL
    ON CONFLICT (`root_id`, `branch`) DO UPDATE SET `devices` = `devices` + 1;
END;

CREATE TRIGGER `gone_device_discounted` AFTER UPDATE OF `counted_to` ON `gone_device`
WHEN OLD.`counted_to` IS NOT NULL AND NEW.`counted_to` IS NULL BEGIN
  UPDATE `root_usage` SET `devices` = `devices` - 1 WHERE `root_id` = OLD.`counted_to` AND `branch` IN ('', OLD.`counted_for`);
END;

CREATE TRIGGER `gone_device_forgotten` AFTER DELETE ON `gone_device`
WHEN OLD.`counted_to` IS NOT NULL BEGIN
  UPDATE `root_usage` SET `devices` = `devices` - 1 WHERE `root_id` = OLD.`counted_to` AND `branch` IN ('', OLD.`counted_for`);
END;
