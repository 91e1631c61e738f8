import type { Deciders } from "../db/thread/deciders.ts";
import { RELATION_DECIDERS } from "./manages/relation_deciders.ts";
import { MEMBER_DECIDERS } from "./member/member_deciders.ts";
import { ROLE_DECIDERS } from "./role_deciders.ts";

/** The decisions of all commands, by name (`Command.name`). */
export const DECIDERS: Deciders = { ...RELATION_DECIDERS, ...MEMBER_DECIDERS, ...ROLE_DECIDERS };
