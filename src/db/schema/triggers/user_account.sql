-- The index of texts.

CREATE TRIGGER `person_search_inserted` AFTER INSERT ON `user_account` BEGIN
  INSERT INTO `person_search` (`rowid`, `email`) VALUES (NEW.`id`, NEW.`email`);
END;

CREATE TRIGGER `person_search_updated` AFTER UPDATE OF `email` ON `user_account`
WHEN NEW.`email` IS NOT OLD.`email` BEGIN
  INSERT INTO `person_search` (`person_search`, `rowid`, `email`) VALUES ('delete', OLD.`id`, OLD.`email`);
  INSERT INTO `person_search` (`rowid`, `email`) VALUES (NEW.`id`, NEW.`email`);
END;

CREATE TRIGGER `person_search_deleted` AFTER DELETE ON `user_account` BEGIN
  INSERT INTO `person_search` (`person_search`, `rowid`, `email`) VALUES ('delete', OLD.`id`, OLD.`email`);
END;
