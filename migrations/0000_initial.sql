CREATE TABLE `known_address` (
	`user_id` integer NOT NULL,
	`address` text NOT NULL,
	`last_sign_in_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `address`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `password_link` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`mac` text NOT NULL,
	`purpose` text NOT NULL,
	`user_id` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`ended_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `password_link_mac_unique` ON `password_link` (`mac`);--> statement-breakpoint
CREATE INDEX `password_link_of_user` ON `password_link` (`user_id`);--> statement-breakpoint
CREATE INDEX `password_link_by_expiry` ON `password_link` (`expires_at`);--> statement-breakpoint
CREATE TABLE `security_event` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`op_id` text NOT NULL,
	`at` integer NOT NULL,
	`event` text NOT NULL,
	`result` text NOT NULL,
	`actor_id` integer,
	`user_id` integer,
	`session_id` text,
	`address` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `security_event_op_id_unique` ON `security_event` (`op_id`);--> statement-breakpoint
CREATE INDEX `security_event_of_user` ON `security_event` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `security_event_by_time` ON `security_event` (`at`);--> statement-breakpoint
CREATE TABLE `session` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`family_hash` text NOT NULL,
	`generation` integer DEFAULT 1 NOT NULL,
	`used_at` integer,
	`previous_used_at` integer,
	`created_at` integer NOT NULL,
	`authenticated_at` integer NOT NULL,
	`assurance_level` integer DEFAULT 1 NOT NULL,
	`idle_until` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`last_token_at` integer NOT NULL,
	`client` text NOT NULL,
	`ended_at` integer,
	`ended_reason` text,
	`ended_op` text
);
--> statement-breakpoint
CREATE INDEX `session_of_user` ON `session` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `session_by_end` ON `session` (`idle_until`);--> statement-breakpoint
CREATE UNIQUE INDEX `session_of_family` ON `session` (`family_hash`);--> statement-breakpoint
CREATE TABLE `user_account` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text NOT NULL,
	`language` text DEFAULT 'en' NOT NULL,
	`password_hash` text,
	`password_changed_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `user_account_email_unique` ON `user_account` (`email`);--> statement-breakpoint
CREATE TABLE `outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	`template` text NOT NULL,
	`language` text NOT NULL,
	`brand` text,
	`recipient` text,
	`role_name` text,
	`actor_email` text,
	`sealed_params` text,
	`expires_at` integer NOT NULL,
	`delivered_at` integer
);
--> statement-breakpoint
CREATE INDEX `outbox_by_time` ON `outbox` (`created_at`);--> statement-breakpoint
CREATE TABLE `setting` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `change_log` (
	`rev` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`op_id` text NOT NULL,
	`at` integer NOT NULL,
	`actor_id` integer NOT NULL,
	`session_id` text NOT NULL,
	`kind` text NOT NULL,
	`decision` text NOT NULL,
	`effect` text NOT NULL,
	`parent_id` integer,
	`role_id` integer,
	`relation_id` integer,
	`subject_id` integer,
	`old_rights` integer,
	`new_rights` integer,
	`cost` integer,
	`blocked_role_id` integer,
	`gone_role_ids` text,
	`gone_relation_ids` text,
	`details` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `change_log_op_id_unique` ON `change_log` (`op_id`);--> statement-breakpoint
CREATE INDEX `change_log_by_time` ON `change_log` (`at`);--> statement-breakpoint
CREATE TABLE `id_sequence` (
	`name` text PRIMARY KEY NOT NULL,
	`last_id` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `manages` (
	`id` integer PRIMARY KEY NOT NULL,
	`parent_id` integer NOT NULL,
	`child_id` integer NOT NULL,
	`rights` integer NOT NULL,
	CONSTRAINT "manages_rights_mask" CHECK("manages"."rights" BETWEEN 0 AND 63),
	CONSTRAINT "manages_not_self" CHECK("manages"."parent_id" <> "manages"."child_id")
);
--> statement-breakpoint
CREATE INDEX `manages_into_child` ON `manages` (`child_id`,`parent_id`,`rights`);--> statement-breakpoint
CREATE INDEX `manages_of_parent` ON `manages` (`parent_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `manages_of_pair` ON `manages` (`parent_id`,`child_id`);--> statement-breakpoint
CREATE TABLE `member` (
	`id` integer PRIMARY KEY NOT NULL,
	`role_id` integer NOT NULL,
	`user_id` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `member_of_role` ON `member` (`role_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `member_of_user` ON `member` (`user_id`,`role_id`);--> statement-breakpoint
CREATE TABLE `role` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`self_rights` integer NOT NULL,
	`is_root` integer DEFAULT 0 NOT NULL,
	CONSTRAINT "role_self_rights_mask" CHECK("role"."self_rights" BETWEEN 0 AND 63)
);
--> statement-breakpoint
CREATE INDEX `role_by_name` ON `role` (`name`,`id`);--> statement-breakpoint
CREATE TABLE `role_closure` (
	`descendant_id` integer NOT NULL,
	`ancestor_id` integer NOT NULL,
	`rights` integer NOT NULL,
	PRIMARY KEY(`descendant_id`, `ancestor_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `role_closure_by_ancestor` ON `role_closure` (`ancestor_id`,`descendant_id`,`rights`);--> statement-breakpoint
CREATE TABLE `throttle` (
	`scope` text NOT NULL,
	`key` text NOT NULL,
	`count` integer NOT NULL,
	`next_at` integer DEFAULT 0 NOT NULL,
	`started_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`scope`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `throttle_by_expiry` ON `throttle` (`expires_at`);--> statement-breakpoint
INSERT INTO `id_sequence` (`name`, `last_id`) VALUES ('node', 0), ('relation', 0);
