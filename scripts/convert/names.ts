import { createHash } from "node:crypto";
import { MAX_EXTERNAL_ID_LENGTH } from "../../src/role/external_id_queries.ts";
import type { LeftOut } from "./left_out.ts";

const MAX_KEY_LENGTH = 256;

/** Returns the key of a role by its name in the other system. Different names have different keys. */
export function keyOf(name: string): string {
  const key = name.replace(/[%|=\p{Cc}]/gu, (character) => encodeURIComponent(character));
  if ([...key].length <= MAX_KEY_LENGTH && key === key.trim()) return key;
  return `sha256:${createHash("sha256").update(name).digest("hex")}`;
}

/** Returns an external id, or lists it if it is too long for one. */
export function keepExternalId(
  id: string | null | undefined,
  kind: string,
  leftOut: LeftOut,
): string | undefined {
  if (id === undefined || id === null || id === "") return undefined;
  if ([...id].length <= MAX_EXTERNAL_ID_LENGTH && !/\p{Cc}/u.test(id)) return id;
  leftOut.add(`ids of ${kind} that are longer than ${MAX_EXTERNAL_ID_LENGTH} characters`, id);
  return undefined;
}
