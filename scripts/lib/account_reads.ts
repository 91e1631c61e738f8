import { defineRead, select } from "../../src/db/define_read.ts";
import { userAccount } from "../../src/db/schema/identity.ts";

/** Any account, to learn whether there is one. */
export const FIND_ANY_ACCOUNT = defineRead(select({ id: userAccount.id }).from(userAccount).limit(1));
