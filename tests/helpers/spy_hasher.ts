import type { PasswordVerdict } from "../../src/password/hasher.ts";

/** A password hasher that costs nothing and counts its calls. The hash of a password is `plain:<password>`. */
export interface SpyHasher {
  readonly hash: (password: string) => Promise<string>;
  readonly verify: (
    password: string,
    phc: string,
  ) => Promise<PasswordVerdict>;
  readonly verifyDummy: () => Promise<PasswordVerdict>;
  readonly hashLike: (text: string) => Promise<string>;
  readonly requireRoomForStranger: () => void;
  /** Number of calls of each function so far. */
  readonly calls: { hash: number; verify: number; dummy: number; hashLike: number };
}

/** Creates such a hasher. `whenCalled` runs before each comparison and may throw. */
export function createSpyHasher(whenCalled: () => Promise<void> | void = () => {}): SpyHasher {
  const calls = { hash: 0, verify: 0, dummy: 0, hashLike: 0 };
  return {
    calls,
    requireRoomForStranger(): void {},
    hash(password): Promise<string> {
      calls.hash++;
      return Promise.resolve(`plain:${password}`);
    },
    async hashLike(text): Promise<string> {
      await whenCalled();
      calls.hashLike++;
      return `plain:${text}`;
    },
    async verify(password, phc): Promise<PasswordVerdict> {
      await whenCalled();
      calls.verify++;
      return { ok: phc === `plain:${password}`, needsRehash: false, isUnreadable: false };
    },
    async verifyDummy(): Promise<PasswordVerdict> {
      await whenCalled();
      calls.dummy++;
      return { ok: false, needsRehash: false, isUnreadable: false };
    },
  };
}
