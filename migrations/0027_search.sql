ALTER TABLE `device` ADD `name` text GENERATED ALWAYS AS (CASE json_type(properties, '$.name') WHEN 'text' THEN substr(properties ->> '$.name', 1, 256) END) VIRTUAL;--> statement-breakpoint
CREATE INDEX `device_texts` ON `device` (`id`,`node_id`,`name`);--> statement-breakpoint
-- Indexes of trigrams for searches by any part of a text. They hold no text: it is that of the tables. Triggers feed
-- them, so no writer can forget it.
CREATE VIRTUAL TABLE `role_search` USING fts5(name, content='role', content_rowid='id', columnsize=0, detail=none, tokenize='trigram');--> statement-breakpoint
CREATE TRIGGER `role_search_inserted` AFTER INSERT ON `role` BEGIN
  INSERT INTO `role_search` (`rowid`, `name`) VALUES (NEW.`id`, NEW.`name`);
END;--> statement-breakpoint
CREATE TRIGGER `role_search_updated` AFTER UPDATE OF `name` ON `role`
WHEN NEW.`name` IS NOT OLD.`name` BEGIN
  INSERT INTO `role_search` (`role_search`, `rowid`, `name`) VALUES ('delete', OLD.`id`, OLD.`name`);
  INSERT INTO `role_search` (`rowid`, `name`) VALUES (NEW.`id`, NEW.`name`);
END;--> statement-breakpoint
CREATE TRIGGER `role_search_deleted` AFTER DELETE ON `role` BEGIN
  INSERT INTO `role_search` (`role_search`, `rowid`, `name`) VALUES ('delete', OLD.`id`, OLD.`name`);
END;--> statement-breakpoint
INSERT INTO `role_search` (`role_search`) VALUES ('rebuild');--> statement-breakpoint
CREATE VIRTUAL TABLE `person_search` USING fts5(email, content='user_account', content_rowid='id', columnsize=0, detail=none, tokenize='trigram');--> statement-breakpoint
CREATE TRIGGER `person_search_inserted` AFTER INSERT ON `user_account` BEGIN
  INSERT INTO `person_search` (`rowid`, `email`) VALUES (NEW.`id`, NEW.`email`);
END;--> statement-breakpoint
CREATE TRIGGER `person_search_updated` AFTER UPDATE OF `email` ON `user_account`
WHEN NEW.`email` IS NOT OLD.`email` BEGIN
  INSERT INTO `person_search` (`person_search`, `rowid`, `email`) VALUES ('delete', OLD.`id`, OLD.`email`);
  INSERT INTO `person_search` (`rowid`, `email`) VALUES (NEW.`id`, NEW.`email`);
END;--> statement-breakpoint
CREATE TRIGGER `person_search_deleted` AFTER DELETE ON `user_account` BEGIN
  INSERT INTO `person_search` (`person_search`, `rowid`, `email`) VALUES ('delete', OLD.`id`, OLD.`email`);
END;--> statement-breakpoint
INSERT INTO `person_search` (`person_search`) VALUES ('rebuild');--> statement-breakpoint
CREATE VIRTUAL TABLE `device_search` USING fts5(node_id, name, content='device', content_rowid='id', columnsize=0, detail=none, tokenize='trigram');--> statement-breakpoint
CREATE TRIGGER `device_search_inserted` AFTER INSERT ON `device` BEGIN
  INSERT INTO `device_search` (`rowid`, `node_id`, `name`) VALUES (NEW.`id`, NEW.`node_id`, NEW.`name`);
END;--> statement-breakpoint
CREATE TRIGGER `device_search_updated` AFTER UPDATE OF `node_id`, `properties` ON `device`
WHEN NEW.`node_id` IS NOT OLD.`node_id` OR NEW.`name` IS NOT OLD.`name` BEGIN
  INSERT INTO `device_search` (`device_search`, `rowid`, `node_id`, `name`) VALUES ('delete', OLD.`id`, OLD.`node_id`, OLD.`name`);
  INSERT INTO `device_search` (`rowid`, `node_id`, `name`) VALUES (NEW.`id`, NEW.`node_id`, NEW.`name`);
END;--> statement-breakpoint
CREATE TRIGGER `device_search_deleted` AFTER DELETE ON `device` BEGIN
  INSERT INTO `device_search` (`device_search`, `rowid`, `node_id`, `name`) VALUES ('delete', OLD.`id`, OLD.`node_id`, OLD.`name`);
END;--> statement-breakpoint
INSERT INTO `device_search` (`device_search`) VALUES ('rebuild');
