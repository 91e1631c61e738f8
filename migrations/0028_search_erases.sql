-- What is erased leaves these indexes at once, not when their parts are merged some day. A rebuild drops what has
-- stayed of earlier erasures.
INSERT INTO `role_search` (`role_search`, `rank`) VALUES ('secure-delete', 1);--> statement-breakpoint
INSERT INTO `role_search` (`role_search`) VALUES ('rebuild');--> statement-breakpoint
INSERT INTO `person_search` (`person_search`, `rank`) VALUES ('secure-delete', 1);--> statement-breakpoint
INSERT INTO `person_search` (`person_search`) VALUES ('rebuild');--> statement-breakpoint
INSERT INTO `device_search` (`device_search`, `rank`) VALUES ('secure-delete', 1);--> statement-breakpoint
INSERT INTO `device_search` (`device_search`) VALUES ('rebuild');
