/** One person with many accounts, which they invited themselves, has the turns of one. */
import assert from "node:assert/strict";
import { loadArgon2 } from "../../src/accounts/password/argon2.ts";
import { createPasswordHasher } from "../../src/accounts/password/hasher.ts";
import { type Answer, login } from "../helpers/http.ts";
import { bootstrap, invite, type Person } from "../helpers/person.ts";
import { openQuickApp, type TestApp } from "../helpers/test_app.ts";

const ACCOUNTS = 12;
const REQUESTS_OF_ACCOUNT = 6;
const OTHERS = 5;

interface Account {
  readonly email: string;
  readonly person: Person;
}

interface Scene {
  readonly attackers: readonly Account[];
  readonly others: readonly Account[];
}

function clientOf(email: string): string {
  return `198.51.100.${email.length + email.charCodeAt(0) + Number(/\d+/.exec(email)?.[0] ?? 0)}`;
}

async function join(target: TestApp, inviter: Person, roleId: number, email: string): Promise<Account> {
  return { email, person: await invite(target, inviter, roleId, email) };
}

/** Mallory brings accounts, one of which brings half of them. The others are brought by the same administrator. */
async function open(target: TestApp): Promise<Scene> {
  const { admin, rootId } = await bootstrap(target);
  const installerId = await admin.create(rootId, "Installer");
  const mallory = await join(target, admin, installerId, "mallory@example.com");
  const attackers = [mallory];
  for (let i = 1; i < ACCOUNTS; i++) {
    const inviter = i < ACCOUNTS / 2 ? mallory : attackers[1] ?? mallory;
    attackers.push(await join(target, inviter.person, installerId, `m${i}@example.com`));
  }
  const others: Account[] = [];
  for (let i = 0; i < OTHERS; i++) {
    others.push(await join(target, admin, installerId, `other${i}@example.com`));
  }
  return { attackers, others };
}

/** Sends the requests of all attackers, then one of each other. Returns all in the order of their responses. */
async function rush(
  { attackers, others }: Scene,
  ask: (account: Account) => Promise<Answer>,
  stage: { readonly attacked?: () => Promise<void>; readonly joined?: () => Promise<void> } = {},
): Promise<{ readonly email: string; readonly status: number }[]> {
  const answered: { email: string; status: number }[] = [];
  const note = async (account: Account): Promise<void> => {
    const { status } = await ask(account);
    answered.push({ email: account.email, status });
  };
  const all = attackers.flatMap((account) =>
    Array.from({ length: REQUESTS_OF_ACCOUNT }, () => note(account))
  );
  await stage.attacked?.();
  all.push(...others.map(note));
  await stage.joined?.();
  await Promise.all(all);
  return answered;
}

Deno.test("sign-ins of twelve accounts of one person leave every other person their turn", async () => {
  const held = Promise.withResolvers<void>();
  const isHeld = { now: false };
  const compared: string[] = [];
  const argon2 = {
    ...await loadArgon2(),
    verify: async (password: Uint8Array): Promise<boolean> => {
      if (!isHeld.now) return true;
      compared.push(new TextDecoder().decode(password));
      await held.promise;
      return true;
    },
  };
  const queue = { waiting: () => 0, refused: 0 };
  const meter = {
    waited(): void {},
    refused: (): number => queue.refused++,
    watch: (read: () => number): unknown => queue.waiting = read,
  };
  const hasher = createPasswordHasher({ loadArgon2: () => Promise.resolve(argon2), meter });
  await using target = await openQuickApp({ hasher, passwords: hasher });
  const scene = await open(target);
  const signIn = ({ email }: Account): Promise<Answer> =>
    login(target, email, `the first password of ${email}`, { from: clientOf(email) });
  for (const account of [...scene.attackers, ...scene.others]) {
    assert.equal((await signIn(account)).status, 200);
  }
  isHeld.now = true;
  let before = 0;
  const answered = await rush(scene, signIn, {
    async attacked(): Promise<void> {
      // The queue is full, and for a second no more of them have come.
      for (let quiet = 0; quiet < 10; quiet++) {
        if (queue.waiting() < 32 || before < queue.refused) quiet = 0;
        before = queue.refused;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    async joined(): Promise<void> {
      // Each of the others has the place of one of them.
      while (queue.refused < before + OTHERS) await new Promise((resolve) => setTimeout(resolve, 10));
      held.resolve();
    },
  });
  const done = answered.filter(({ email }) => email.startsWith("other"));
  assert.deepEqual(done.map(({ status }) => status), Array(OTHERS).fill(200));
  // One of the attackers' may come before each of the others, besides those that ran already.
  const last = compared.findLastIndex((password) => password.includes("other"));
  assert.ok(last < 3 * OTHERS, `${last} of ${compared.length}`);
});

Deno.test("writes of twelve accounts of one person leave every other person their turn", async () => {
  await using target = await openQuickApp();
  const scene = await open(target);
  const answered = await rush(scene, ({ person }) => person.ask("PUT", "/user", { language: "nl" }));
  assert.deepEqual(new Set(answered.map(({ status }) => status)), new Set([200]));
});
