import type { PasswordVerdict } from "../../src/accounts/password/hasher.ts";

/** A password hasher that costs nothing and counts its calls. The hash of a password is `plain:<password>`. */
export interface SpyHasher {
  readonly hash: (password: string) => Promise<string>;
  readonly verify: (
    password: string,
    phc: string,
  ) => Promise<PasswordVerdict>;
  readonly verifyDummy: () => Promise<PasswordVerdict>;
  readonly verifyOwn: (password: string, phc: string | null) => Promise<boolean>;
  readonly hashLike: (text: string) => Promise<string>;
  readonly requireRoom: () => void;
  /** Number of calls of each function so far. */
  readonly calls: { hash: number; verify: number; dummy: number; hashLike: number };
}

/** Creates such a hasher. `whenCalled` runs before each comparison and may throw. */
export function createSpyHasher(whenCalled: () => Promise<void> | void = () => {}): SpyHasher {
  const calls = { hash: 0, verify: 0, dummy: 0, hashLike: 0 };

  async function verify(password: string, phc: string): Promise<PasswordVerdict> {
    await whenCalled();
    calls.verify++;
    return { ok: phc === `plain:${password}`, needsRehash: false, isUnreadable: false };
  }

  async function verifyDummy(): Promise<PasswordVerdict> {
    await whenCalled();
    calls.dummy++;
    return { ok: false, needsRehash: false, isUnreadable: false };
  }

  return {
    calls,
    requireRoom(): void {},
    hash(password): Promise<string> {
      calls.hash++;
      return Promise.resolve(`plain:${password}`);
    },
    async hashLike(text): Promise<string> {
      await whenCalled();
      calls.hashLike++;
      return `plain:${text}`;
    },
    verify,
    verifyDummy,
    async verifyOwn(password, phc): Promise<boolean> {
      return (phc === null ? await verifyDummy() : await verify(password, phc)).ok;
    },
  };
}
