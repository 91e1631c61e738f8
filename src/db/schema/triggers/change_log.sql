-- Revisions in the order of time, whatever the clocks of instances say; the last hour in which a membership met its
-- demand.

CREATE TRIGGER `member_demand_met` AFTER INSERT ON `change_log`
WHEN NEW.`via_role_id` IS NOT NULL AND NEW.`actor_id` > 0 AND NEW.`decision` = 'ok' BEGIN
  UPDATE `member` SET `met_at` = NEW.`at` - NEW.`at` % 3600000
  WHERE `user_id` = NEW.`actor_id` AND `role_id` = NEW.`via_role_id` AND `needs` > 0
    AND `needs` <= (SELECT `meets` FROM `session` WHERE `id` = NEW.`session_id`);
END;

CREATE TRIGGER `change_log_in_order` AFTER INSERT ON `change_log`
WHEN NEW.`at` < (SELECT `at` FROM `change_log` WHERE `rev` < NEW.`rev` ORDER BY `rev` DESC LIMIT 1) BEGIN
  UPDATE `change_log` SET `at` = (SELECT `at` FROM `change_log` WHERE `rev` < NEW.`rev` ORDER BY `rev` DESC LIMIT 1)
  WHERE `rev` = NEW.`rev`;
END;
