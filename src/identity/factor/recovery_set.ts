import { randomCrockford } from "../../core/codes.ts";
import type { PasswordVerifier } from "../deps.ts";

/** Codes per set, and characters per code (80 bits). */
const RECOVERY_CODES = 10;
const RECOVERY_CODE_LENGTH = 16;

const GROUP = 4;

/** A set of recovery codes: as shown once, and as stored. */
export interface RecoverySet {
  readonly codes: readonly string[];
  /** PHC strings that share one salt, so that a guess is hashed once and compared with all of them. */
  readonly hashes: readonly string[];
}

/** Generates a set of recovery codes. Throws `UNAVAILABLE` if the hasher is overloaded. */
export async function makeRecoverySet(passwords: PasswordVerifier): Promise<RecoverySet> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => randomCrockford(RECOVERY_CODE_LENGTH));
  const [first = "", ...others] = codes;
  const hashes = [await passwords.hash(first)];
  // Sequential, so that a set does not use up the client's share of the hasher.
  for (const code of others) {
    hashes.push(await passwords.hashLike(code, hashes[0] as string));
  }
  return { codes: codes.map(groupCode), hashes };
}

/** Separates groups of four by hyphens, which are easier to copy by hand. */
function groupCode(code: string): string {
  const groups: string[] = [];
  for (let i = 0; i < code.length; i += GROUP) groups.push(code.slice(i, i + GROUP));
  return groups.join("-");
}
