CREATE TABLE `departure` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`op_id` text NOT NULL,
	`session_id` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `departure_op_id_unique` ON `departure` (`op_id`);--> statement-breakpoint
CREATE TABLE `factor_link` (
	`mac` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`kind` text NOT NULL,
	`passkey_id` integer,
	`activated_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `factor_link_of_user` ON `factor_link` (`user_id`);--> statement-breakpoint
CREATE INDEX `factor_link_by_expiry` ON `factor_link` (`expires_at`);--> statement-breakpoint
CREATE TABLE `known_address` (
	`user_id` integer NOT NULL,
	`address` text NOT NULL,
	`last_sign_in_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `address`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `known_address_by_sign_in` ON `known_address` (`last_sign_in_at`);--> statement-breakpoint
CREATE TABLE `one_time_code` (
	`purpose` text NOT NULL,
	`subject` text NOT NULL,
	`mac` text NOT NULL,
	`user_id` integer,
	`email` text,
	`session_id` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`guesses_left` integer NOT NULL,
	`ended_at` integer,
	PRIMARY KEY(`purpose`, `subject`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `one_time_code_of_user` ON `one_time_code` (`user_id`);--> statement-breakpoint
CREATE INDEX `one_time_code_by_expiry` ON `one_time_code` (`expires_at`);--> statement-breakpoint
CREATE TABLE `partial_login` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`authenticated_at` integer NOT NULL,
	`security_version` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`client` text NOT NULL,
	`from_known_address` integer DEFAULT 0 NOT NULL,
	`ended_at` integer
);
--> statement-breakpoint
CREATE INDEX `partial_login_of_user` ON `partial_login` (`user_id`);--> statement-breakpoint
CREATE INDEX `partial_login_open_of_user` ON `partial_login` (`user_id`,`authenticated_at`) WHERE ended_at IS NULL;--> statement-breakpoint
CREATE INDEX `partial_login_by_expiry` ON `partial_login` (`expires_at`);--> statement-breakpoint
CREATE TABLE `passkey` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`credential_id` text NOT NULL,
	`public_key` text NOT NULL,
	`user_handle` text NOT NULL,
	`name` text NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`uv_initialized` integer NOT NULL,
	`backup_eligible` integer NOT NULL,
	`backed_up` integer NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`last_used_at` integer,
	`meets` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `passkey_credential_id_unique` ON `passkey` (`credential_id`);--> statement-breakpoint
CREATE INDEX `passkey_of_user` ON `passkey` (`user_id`,`id`);--> statement-breakpoint
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
CREATE TABLE `recovery_code` (
	`user_id` integer NOT NULL,
	`position` integer NOT NULL,
	`hash` text NOT NULL,
	`used_at` integer,
	PRIMARY KEY(`user_id`, `position`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `reserved_email` (
	`email` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`reserved_until` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `reserved_email_by_expiry` ON `reserved_email` (`reserved_until`);--> statement-breakpoint
CREATE TABLE `second_factor` (
	`user_id` integer NOT NULL,
	`kind` text NOT NULL,
	`activated_at` integer,
	`activated_by` text,
	`meets` integer DEFAULT 0 NOT NULL,
	`email` text,
	`sealed_secret` text,
	`pending_email` text,
	`pending_sealed_secret` text,
	`pending_until` integer,
	`last_step` integer,
	`failures` integer DEFAULT 0 NOT NULL,
	`next_guess_at` integer DEFAULT 0 NOT NULL,
	`mails` integer DEFAULT 0 NOT NULL,
	`last_mail_at` integer,
	`next_mail_at` integer DEFAULT 0 NOT NULL,
	`mail_day_started_at` integer,
	`mails_of_day` integer DEFAULT 0 NOT NULL,
	`stranger_mails_of_day` integer DEFAULT 0 NOT NULL,
	`stranger_next_mail_at` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`user_id`, `kind`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `second_factor_pending` ON `second_factor` (`pending_until`) WHERE pending_until IS NOT NULL;--> statement-breakpoint
CREATE TABLE `security_event` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`op_id` text NOT NULL,
	`at` integer NOT NULL,
	`event` text NOT NULL,
	`result` text NOT NULL,
	`actor_id` integer,
	`user_id` integer,
	`session_id` text,
	`address` text,
	`attempts` integer DEFAULT 1 NOT NULL,
	`merge_key` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `security_event_op_id_unique` ON `security_event` (`op_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `security_event_merged` ON `security_event` (`merge_key`) WHERE merge_key IS NOT NULL;--> statement-breakpoint
CREATE INDEX `security_event_of_user` ON `security_event` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `security_event_by_time` ON `security_event` (`at`);--> statement-breakpoint
CREATE INDEX `security_event_denied` ON `security_event` (`at`) WHERE result <> 'ok';--> statement-breakpoint
CREATE TABLE `session` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`family_hash` text NOT NULL,
	`generation` integer DEFAULT 1 NOT NULL,
	`skipped` integer DEFAULT 0 NOT NULL,
	`issued_at` integer,
	`issued_to` text,
	`used_at` integer,
	`created_at` integer NOT NULL,
	`authenticated_at` integer NOT NULL,
	`assurance_level` integer DEFAULT 1 NOT NULL,
	`methods` integer DEFAULT 1 NOT NULL,
	`meets` integer DEFAULT 0 NOT NULL,
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
CREATE INDEX `session_open_of_user` ON `session` (`user_id`,`created_at`) WHERE ended_at IS NULL;--> statement-breakpoint
CREATE INDEX `session_by_end` ON `session` (`idle_until`);--> statement-breakpoint
CREATE UNIQUE INDEX `session_of_family` ON `session` (`family_hash`);--> statement-breakpoint
CREATE TABLE `undo_link` (
	`mac` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`email` text NOT NULL,
	`begun_at` integer,
	`begun_by` text,
	`completed_by` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`ended_at` integer
);
--> statement-breakpoint
CREATE INDEX `undo_link_of_user` ON `undo_link` (`user_id`);--> statement-breakpoint
CREATE INDEX `undo_link_by_expiry` ON `undo_link` (`expires_at`);--> statement-breakpoint
CREATE TABLE `used_challenge` (
	`id` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `used_challenge_by_expiry` ON `used_challenge` (`expires_at`);--> statement-breakpoint
CREATE TABLE `user_account` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text NOT NULL,
	`language` text DEFAULT 'en' NOT NULL,
	`password_hash` text,
	`password_changed_at` integer,
	`security_version` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`external_id` text,
	`name` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `user_account_email_unique` ON `user_account` (`email`);--> statement-breakpoint
CREATE UNIQUE INDEX `user_account_by_external_id` ON `user_account` (`external_id`) WHERE external_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `user_account_unopened` ON `user_account` (`created_at`) WHERE password_hash IS NULL;--> statement-breakpoint
CREATE TABLE `import_chunk` (
	`import_id` text NOT NULL,
	`kind` text NOT NULL,
	`position` integer NOT NULL,
	`created_at` integer NOT NULL,
	`rows` text NOT NULL,
	PRIMARY KEY(`import_id`, `kind`, `position`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `import_chunk_by_time` ON `import_chunk` (`created_at`);--> statement-breakpoint
CREATE TABLE `outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	`template` text NOT NULL,
	`language` text NOT NULL,
	`brand` text,
	`recipient` text,
	`role_name` text,
	`actor_email` text,
	`detail` text,
	`sealed_params` text,
	`expires_at` integer NOT NULL,
	`delivered_at` integer,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer DEFAULT 0 NOT NULL,
	`dropped_at` integer
);
--> statement-breakpoint
CREATE INDEX `outbox_by_time` ON `outbox` (`created_at`);--> statement-breakpoint
CREATE INDEX `outbox_to_deliver` ON `outbox` (`next_attempt_at`) WHERE delivered_at IS NULL AND dropped_at IS NULL;--> statement-breakpoint
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
	`via_role_id` integer,
	`session_id` text NOT NULL,
	`kind` text NOT NULL,
	`decision` text NOT NULL,
	`step` text NOT NULL,
	`parent_id` integer,
	`role_id` integer,
	`relation_id` integer,
	`subject_id` integer,
	`device_id` integer,
	`old_rights` integer,
	`new_rights` integer,
	`cost` integer,
	`closure_rows` integer,
	`blocked_role_id` integer,
	`gone_role_ids` text,
	`gone_device_ids` text,
	`gone_relation_ids` text,
	`details` text,
	`attempts` integer DEFAULT 1 NOT NULL,
	`merge_key` text,
	`undoes` integer,
	`counted_to` integer,
	`counted_for` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `change_log_op_id_unique` ON `change_log` (`op_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `change_log_merged` ON `change_log` (`merge_key`) WHERE merge_key IS NOT NULL;--> statement-breakpoint
CREATE INDEX `change_log_by_time` ON `change_log` (`at`);--> statement-breakpoint
CREATE INDEX `change_log_of_role` ON `change_log` (`role_id`,`rev`);--> statement-breakpoint
CREATE INDEX `change_log_of_parent` ON `change_log` (`parent_id`,`rev`);--> statement-breakpoint
CREATE INDEX `change_log_previews` ON `change_log` (`at`) WHERE kind LIKE '%.dry_run';--> statement-breakpoint
CREATE INDEX `change_log_of_ended` ON `change_log` (`subject_id`,`role_id`) WHERE kind = 'access.end' AND decision = 'ok';--> statement-breakpoint
CREATE INDEX `change_log_of_device` ON `change_log` (`device_id`,`rev`) WHERE decision = 'ok' AND kind IN ('device.transfer', 'monitors.add', 'monitors.remove', 'monitors.update');--> statement-breakpoint
CREATE INDEX `change_log_denied` ON `change_log` (`at`) WHERE decision NOT IN ('ok', 'noop');--> statement-breakpoint
CREATE TABLE `deleted_key` (
	`id` integer PRIMARY KEY NOT NULL,
	`role_id` integer NOT NULL,
	`name` text NOT NULL,
	`created_by` integer,
	`rev` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `deleted_key_by_revision` ON `deleted_key` (`rev`);--> statement-breakpoint
CREATE TABLE `id_sequence` (
	`name` text PRIMARY KEY NOT NULL,
	`last_id` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `idempotency_key` (
	`user_id` integer NOT NULL,
	`key` text NOT NULL,
	`op_id` text NOT NULL,
	`fingerprint` text NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_key_by_expiry` ON `idempotency_key` (`expires_at`);--> statement-breakpoint
CREATE TABLE `manages` (
	`id` integer PRIMARY KEY NOT NULL,
	`parent_id` integer NOT NULL,
	`child_id` integer NOT NULL,
	`rights` integer NOT NULL,
	`by_password` integer DEFAULT 0 NOT NULL,
	`given_by` integer,
	`given_via` integer,
	CONSTRAINT "manages_rights_mask" CHECK("manages"."rights" BETWEEN 0 AND 63),
	CONSTRAINT "manages_not_self" CHECK("manages"."parent_id" <> "manages"."child_id")
);
--> statement-breakpoint
CREATE INDEX `manages_into_child` ON `manages` (`child_id`,`parent_id`,`rights`);--> statement-breakpoint
CREATE INDEX `manages_of_parent` ON `manages` (`parent_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `manages_of_pair` ON `manages` (`parent_id`,`child_id`);--> statement-breakpoint
CREATE INDEX `manages_of_giver_by_parent` ON `manages` (`given_by`,`parent_id`) WHERE given_by IS NOT NULL;--> statement-breakpoint
CREATE INDEX `manages_of_giver` ON `manages` (`given_by`,`child_id`) WHERE given_by IS NOT NULL;--> statement-breakpoint
CREATE TABLE `manages_history` (
	`relation_id` integer NOT NULL,
	`parent_id` integer NOT NULL,
	`child_id` integer NOT NULL,
	`rights` integer NOT NULL,
	`from_rev` integer NOT NULL,
	`to_rev` integer NOT NULL,
	`by_password` integer DEFAULT 0 NOT NULL,
	`given_by` integer,
	`given_via` integer,
	PRIMARY KEY(`relation_id`, `to_rev`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `manages_history_into_child` ON `manages_history` (`child_id`,`to_rev`,`from_rev`,`parent_id`,`rights`);--> statement-breakpoint
CREATE INDEX `manages_history_out_of_parent` ON `manages_history` (`parent_id`,`relation_id`) WHERE to_rev < 9007199254740991;--> statement-breakpoint
CREATE INDEX `manages_history_closed` ON `manages_history` (`to_rev`) WHERE to_rev < 9007199254740991;--> statement-breakpoint
CREATE TABLE `member` (
	`id` integer PRIMARY KEY NOT NULL,
	`role_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`rights` integer DEFAULT 63 NOT NULL,
	`ends_at` integer,
	`given_by` integer,
	`given_via` integer,
	`chain` text DEFAULT '0:0' NOT NULL,
	`needs` integer DEFAULT 0 NOT NULL,
	`needs_before` integer DEFAULT 0 NOT NULL,
	`needs_from` integer,
	`met_at` integer,
	`told_end` integer
);
--> statement-breakpoint
CREATE INDEX `member_of_role` ON `member` (`role_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `member_of_user` ON `member` (`user_id`,`role_id`);--> statement-breakpoint
CREATE INDEX `member_of_role_by_user` ON `member` (`role_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `member_by_end` ON `member` (`ends_at`) WHERE ends_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `member_of_giver` ON `member` (`given_by`,`role_id`) WHERE given_by IS NOT NULL;--> statement-breakpoint
CREATE INDEX `member_demanding` ON `member` (`user_id`,`role_id`) WHERE needs > 0;--> statement-breakpoint
CREATE INDEX `member_by_age` ON `member` (`user_id`) WHERE chain <> '';--> statement-breakpoint
CREATE INDEX `member_acting` ON `member` (`user_id`,`role_id`,`ends_at`,`rights`,`needs`,`needs_before`,`needs_from`);--> statement-breakpoint
CREATE INDEX `member_end_untold` ON `member` (`ends_at`) WHERE ends_at IS NOT NULL AND (told_end IS NULL OR ends_at >= told_end + 604800000);--> statement-breakpoint
CREATE TABLE `member_history` (
	`member_id` integer NOT NULL,
	`role_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`rights` integer NOT NULL,
	`ends_at` integer,
	`from_rev` integer NOT NULL,
	`to_rev` integer NOT NULL,
	`given_by` integer,
	`given_via` integer,
	`chain` text DEFAULT '0:0' NOT NULL,
	PRIMARY KEY(`member_id`, `to_rev`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `member_history_of_user` ON `member_history` (`user_id`,`to_rev`);--> statement-breakpoint
CREATE INDEX `member_history_of_role` ON `member_history` (`role_id`,`user_id`,`to_rev`);--> statement-breakpoint
CREATE INDEX `member_history_closed` ON `member_history` (`to_rev`) WHERE to_rev < 9007199254740991;--> statement-breakpoint
CREATE INDEX `member_history_of_giver` ON `member_history` (`given_by`,`role_id`) WHERE given_by IS NOT NULL;--> statement-breakpoint
CREATE INDEX `member_history_given_through` ON `member_history` (`given_by`,`given_via`,`member_id`) WHERE given_by IS NOT NULL;--> statement-breakpoint
CREATE TABLE `role` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`self_rights` integer NOT NULL,
	`is_root` integer DEFAULT 0 NOT NULL,
	`password_hash` text,
	`password_rights` integer,
	`password_set_by` integer,
	`password_set_at` integer,
	`password_set_via` integer,
	`needs` integer DEFAULT 0 NOT NULL,
	`needs_before` integer DEFAULT 0 NOT NULL,
	`needs_from` integer,
	`counted_to` integer,
	`counted_for` text,
	`external_id` text,
	`external_root` integer,
	CONSTRAINT "role_self_rights_mask" CHECK("role"."self_rights" BETWEEN 0 AND 63)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `role_by_external_id` ON `role` (`external_id`,`external_root`) WHERE external_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `role_by_name` ON `role` (`name`,`id`);--> statement-breakpoint
CREATE INDEX `role_by_any_case` ON `role` (name COLLATE NOCASE);--> statement-breakpoint
CREATE INDEX `role_password_of_user` ON `role` (`password_set_by`) WHERE password_set_by IS NOT NULL;--> statement-breakpoint
CREATE TABLE `role_closure` (
	`descendant_id` integer NOT NULL,
	`ancestor_id` integer NOT NULL,
	`rights` integer NOT NULL,
	PRIMARY KEY(`descendant_id`, `ancestor_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `role_closure_by_ancestor` ON `role_closure` (`ancestor_id`,`descendant_id`,`rights`);--> statement-breakpoint
CREATE TABLE `role_history` (
	`role_id` integer NOT NULL,
	`self_rights` integer NOT NULL,
	`from_rev` integer NOT NULL,
	`to_rev` integer NOT NULL,
	`name` text,
	`needs` integer DEFAULT 0 NOT NULL,
	`needs_before` integer DEFAULT 0 NOT NULL,
	`needs_from` integer,
	`external_id` text,
	`external_root` integer,
	PRIMARY KEY(`role_id`, `to_rev`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `role_history_closed` ON `role_history` (`to_rev`) WHERE to_rev < 9007199254740991;--> statement-breakpoint
CREATE TABLE `role_key` (
	`id` integer PRIMARY KEY NOT NULL,
	`role_id` integer NOT NULL,
	`name` text NOT NULL,
	`prefix` text NOT NULL,
	`secret_mac` text NOT NULL,
	`asks` integer DEFAULT 0 NOT NULL,
	`provisions` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` integer,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE INDEX `role_key_of_role` ON `role_key` (`role_id`,`id`);--> statement-breakpoint
CREATE INDEX `role_key_of_maker` ON `role_key` (`created_by`,`created_at`) WHERE created_by IS NOT NULL;--> statement-breakpoint
CREATE TABLE `root_usage` (
	`root_id` integer NOT NULL,
	`branch` text NOT NULL,
	`roles` integer DEFAULT 0 NOT NULL,
	`devices` integer DEFAULT 0 NOT NULL,
	`free_at` real DEFAULT 0 NOT NULL,
	PRIMARY KEY(`root_id`, `branch`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `root_usage_unused` ON `root_usage` (`free_at`) WHERE roles = 0 AND devices = 0;--> statement-breakpoint
CREATE TABLE `block` (
	`id` integer PRIMARY KEY NOT NULL,
	`points` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `block_range` (
	`series_id` integer PRIMARY KEY NOT NULL,
	`first_hour` integer NOT NULL,
	`last_hour` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `carry_state` (
	`id` integer PRIMARY KEY NOT NULL,
	`hour` integer NOT NULL,
	`phase` integer NOT NULL,
	`copied_to` integer NOT NULL,
	CONSTRAINT "carry_state_only" CHECK("carry_state"."id" = 1),
	CONSTRAINT "carry_state_phase" CHECK("carry_state"."phase" IN (0, 1, 2))
);
--> statement-breakpoint
CREATE TABLE `counted_series` (
	`series_id` integer PRIMARY KEY NOT NULL,
	`root_id` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `deleted_monitors` (
	`monitors_id` integer NOT NULL,
	`role_id` integer NOT NULL,
	`device_id` integer NOT NULL,
	`rev` integer NOT NULL,
	`valid_from` integer,
	`valid_until` integer,
	PRIMARY KEY(`monitors_id`, `rev`)
);
--> statement-breakpoint
CREATE INDEX `deleted_monitors_by_revision` ON `deleted_monitors` (`rev`);--> statement-breakpoint
CREATE INDEX `deleted_monitors_of_device` ON `deleted_monitors` (`device_id`,`rev`);--> statement-breakpoint
CREATE TABLE `device` (
	`id` integer PRIMARY KEY NOT NULL,
	`node_id` text NOT NULL,
	`properties` text NOT NULL,
	`updated_at` integer NOT NULL,
	`has_points` integer DEFAULT 0 NOT NULL,
	`counted_to` integer,
	`counted_for` text,
	`external_id` text,
	`external_root` integer,
	`name` text GENERATED ALWAYS AS (CASE json_type(properties, '$.name') WHEN 'text' THEN substr(properties ->> '$.name', 1, 256) END) VIRTUAL
);
--> statement-breakpoint
CREATE INDEX `device_by_node_id` ON `device` (`node_id`);--> statement-breakpoint
CREATE INDEX `device_texts` ON `device` (`id`,`node_id`,`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `device_by_external_id` ON `device` (`external_id`,`external_root`) WHERE external_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `gone_device` (
	`device_id` integer PRIMARY KEY NOT NULL,
	`node_id` text NOT NULL,
	`gone_at` integer NOT NULL,
	`purge_at` integer DEFAULT 0 NOT NULL,
	`rev` integer,
	`role_id` integer,
	`properties` text,
	`updated_at` integer,
	`has_points` integer DEFAULT 1 NOT NULL,
	`counted_to` integer,
	`counted_for` text,
	`external_id` text,
	`external_root` integer
);
--> statement-breakpoint
CREATE INDEX `gone_device_by_purge` ON `gone_device` (`purge_at`);--> statement-breakpoint
CREATE INDEX `gone_device_by_node_id` ON `gone_device` (`node_id`);--> statement-breakpoint
CREATE INDEX `gone_device_by_revision` ON `gone_device` (`rev`);--> statement-breakpoint
CREATE TABLE `hour_summary` (
	`series_id` integer NOT NULL,
	`hour` integer NOT NULL,
	`summary` text NOT NULL,
	PRIMARY KEY(`series_id`, `hour`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `monitors` (
	`id` integer PRIMARY KEY NOT NULL,
	`role_id` integer NOT NULL,
	`device_id` integer NOT NULL,
	`valid_from` integer,
	`valid_until` integer,
	`series` text
);
--> statement-breakpoint
CREATE INDEX `monitors_of_device` ON `monitors` (`device_id`,`role_id`,`valid_until`,`valid_from`);--> statement-breakpoint
CREATE INDEX `monitors_of_role` ON `monitors` (`role_id`,`id`);--> statement-breakpoint
CREATE INDEX `monitors_by_role` ON `monitors` (`role_id`,`device_id`,`valid_until`,`valid_from`);--> statement-breakpoint
CREATE TABLE `point` (
	`series_id` integer NOT NULL,
	`time` integer NOT NULL,
	`value` blob NOT NULL,
	PRIMARY KEY(`series_id`, `time`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `rate_bucket` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`level` real NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `rate_bucket_by_time` ON `rate_bucket` (`at`);--> statement-breakpoint
CREATE TABLE `recent_point` (
	`slot` integer NOT NULL,
	`series_id` integer NOT NULL,
	`time` integer NOT NULL,
	`value` blob NOT NULL,
	PRIMARY KEY(`slot`, `series_id`, `time`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `root_points` (
	`root_id` integer PRIMARY KEY NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `root_points_by_bytes` ON `root_points` (`bytes`);--> statement-breakpoint
CREATE TABLE `series` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tag_set_id` integer NOT NULL,
	`field` text NOT NULL,
	`kind` text NOT NULL,
	`last_day` integer,
	CONSTRAINT "series_kind" CHECK("series"."kind" IN ('number', 'boolean', 'string'))
);
--> statement-breakpoint
CREATE INDEX `series_by_last_day` ON `series` (`last_day`) WHERE "series"."last_day" IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `series_of_field` ON `series` (`tag_set_id`,`field`);--> statement-breakpoint
CREATE TABLE `tag_set` (
	`id` integer PRIMARY KEY NOT NULL,
	`device_id` integer NOT NULL,
	`measurement` text NOT NULL,
	`database` text NOT NULL,
	`retention_policy` text NOT NULL,
	`tags` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `tag_set_in_place` ON `tag_set` (`device_id`,`measurement`,`database`,`retention_policy`);--> statement-breakpoint
CREATE UNIQUE INDEX `tag_set_of_place` ON `tag_set` (`device_id`,`measurement`,`database`,`retention_policy`,`tags`);--> statement-breakpoint
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
CREATE VIRTUAL TABLE `role_search` USING fts5(name, content='role', content_rowid='id', columnsize=0, detail=none, tokenize='trigram');--> statement-breakpoint
CREATE VIRTUAL TABLE `person_search` USING fts5(email, content='user_account', content_rowid='id', columnsize=0, detail=none, tokenize='trigram');--> statement-breakpoint
CREATE VIRTUAL TABLE `device_search` USING fts5(node_id, name, content='device', content_rowid='id', columnsize=0, detail=none, tokenize='trigram');--> statement-breakpoint
INSERT INTO `id_sequence` VALUES ('node', 0), ('relation', 0);--> statement-breakpoint
INSERT INTO `setting` VALUES ('history_from', '0');
