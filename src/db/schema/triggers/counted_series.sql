-- A root has a row from its first series on, so that counting is one update.

CREATE TRIGGER `counted_series_inserted` AFTER INSERT ON `counted_series` BEGIN
  INSERT INTO `root_points` (`root_id`) VALUES (NEW.`root_id`) ON CONFLICT DO NOTHING;
END;
