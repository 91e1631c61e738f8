DROP INDEX `device_node_id_unique`;--> statement-breakpoint
CREATE INDEX `device_by_node_id` ON `device` (`node_id`);--> statement-breakpoint
DROP INDEX `gone_device_node_id_unique`;--> statement-breakpoint
CREATE INDEX `gone_device_by_node_id` ON `gone_device` (`node_id`);--> statement-breakpoint
DROP INDEX `monitors_of_pair`;--> statement-breakpoint
DROP INDEX `monitors_by_role`;--> statement-breakpoint
ALTER TABLE `monitors` ADD `valid_from` integer;--> statement-breakpoint
ALTER TABLE `monitors` ADD `valid_until` integer;--> statement-breakpoint
CREATE INDEX `monitors_of_device` ON `monitors` (`device_id`,`role_id`,`valid_until`,`valid_from`);--> statement-breakpoint
CREATE INDEX `monitors_by_role` ON `monitors` (`role_id`,`device_id`,`valid_until`,`valid_from`);