DROP INDEX `manages_of_giver`;--> statement-breakpoint
CREATE INDEX `manages_of_giver_by_parent` ON `manages` (`given_by`,`parent_id`) WHERE given_by IS NOT NULL;--> statement-breakpoint
CREATE INDEX `manages_of_giver` ON `manages` (`given_by`,`child_id`) WHERE given_by IS NOT NULL;--> statement-breakpoint
DROP INDEX `member_of_giver`;--> statement-breakpoint
CREATE INDEX `member_of_giver` ON `member` (`given_by`,`role_id`) WHERE given_by IS NOT NULL;--> statement-breakpoint
CREATE INDEX `change_log_of_ended` ON `change_log` (`subject_id`,`role_id`) WHERE kind = 'access.end' AND decision = 'ok';--> statement-breakpoint
CREATE INDEX `member_history_of_giver` ON `member_history` (`given_by`,`role_id`) WHERE given_by IS NOT NULL;--> statement-breakpoint
CREATE INDEX `member_history_given_through` ON `member_history` (`given_by`,`given_via`,`member_id`) WHERE given_by IS NOT NULL;--> statement-breakpoint
UPDATE `member` SET `given_by` = (SELECT `created_by` FROM `role_key` WHERE `role_key`.`id` = `member`.`id`)
WHERE `user_id` < 0 AND `given_by` IS NULL;--> statement-breakpoint
UPDATE `member_history` SET `given_by` = (SELECT `given_by` FROM `member` WHERE `member`.`id` = `member_id`)
WHERE `user_id` < 0 AND `given_by` IS NULL AND `to_rev` = 9007199254740991;
