DROP INDEX `member_acting`;--> statement-breakpoint
ALTER TABLE `member` ADD `needs` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `member` ADD `needs_before` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `member` ADD `needs_from` integer;--> statement-breakpoint
ALTER TABLE `member` ADD `met_at` integer;--> statement-breakpoint
CREATE INDEX `member_demanding` ON `member` (`user_id`,`role_id`) WHERE needs > 0;--> statement-breakpoint
CREATE INDEX `member_acting` ON `member` (`user_id`,`role_id`,`ends_at`,`rights`,`needs`,`needs_before`,`needs_from`);--> statement-breakpoint
ALTER TABLE `role` ADD `needs` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `role` ADD `needs_before` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `role` ADD `needs_from` integer;--> statement-breakpoint
ALTER TABLE `role_history` ADD `needs` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `role_history` ADD `needs_before` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `role_history` ADD `needs_from` integer;--> statement-breakpoint
CREATE TRIGGER `member_demand_inserted` AFTER INSERT ON `member`
WHEN NEW.`user_id` > 0 AND EXISTS (SELECT 1 FROM `role` WHERE `id` = NEW.`role_id` AND `needs` > 0) BEGIN
  UPDATE `member` SET (`needs`, `needs_before`, `needs_from`) = (SELECT `needs`, `needs_before`, `needs_from` FROM `role` WHERE `id` = NEW.`role_id`) WHERE `id` = NEW.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `role_demand_inserted` AFTER INSERT ON `role` WHEN NEW.`needs` > 0 BEGIN
  UPDATE `member` SET `needs` = NEW.`needs`, `needs_before` = NEW.`needs_before`, `needs_from` = NEW.`needs_from` WHERE `role_id` = NEW.`id` AND `user_id` > 0;
END;--> statement-breakpoint
CREATE TRIGGER `role_demand_updated` AFTER UPDATE OF `needs`, `needs_before`, `needs_from` ON `role` BEGIN
  UPDATE `member` SET `needs` = NEW.`needs`, `needs_before` = NEW.`needs_before`, `needs_from` = NEW.`needs_from`,
    `met_at` = CASE WHEN NEW.`needs` BETWEEN 1 AND OLD.`needs` THEN `met_at` END
  WHERE `role_id` = NEW.`id` AND `user_id` > 0
    AND (`needs`, `needs_before`, `needs_from`) IS NOT (NEW.`needs`, NEW.`needs_before`, NEW.`needs_from`);
END;--> statement-breakpoint
DROP TRIGGER `role_history_deleted`;--> statement-breakpoint
CREATE TRIGGER `role_history_deleted` AFTER DELETE ON `role` BEGIN
  DELETE FROM `role_history` WHERE `role_id` = OLD.`id` AND `to_rev` = 9007199254740991 AND `from_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`);
  UPDATE `role_history` SET `to_rev` = (SELECT coalesce(max(`rev`), 0) FROM `change_log`), `needs` = OLD.`needs`, `needs_before` = OLD.`needs_before`, `needs_from` = OLD.`needs_from` WHERE `role_id` = OLD.`id` AND `to_rev` = 9007199254740991;
END;
--> statement-breakpoint
CREATE TRIGGER `member_demand_met` AFTER INSERT ON `change_log`
WHEN NEW.`via_role_id` IS NOT NULL AND NEW.`actor_id` > 0 AND NEW.`decision` = 'ok' BEGIN
  UPDATE `member` SET `met_at` = NEW.`at` - NEW.`at` % 3600000
  WHERE `user_id` = NEW.`actor_id` AND `role_id` = NEW.`via_role_id` AND `needs` > 0
    AND `needs` <= (SELECT `meets` FROM `session` WHERE `id` = NEW.`session_id`);
END;
