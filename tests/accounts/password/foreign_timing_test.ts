/** Failed comparisons take equally long, whatever hash is stored, on a machine whose time is simulated. */
import assert from "node:assert/strict";
import { makeUnmatchableHash } from "../../../src/accounts/password/argon2.ts";
import { createPasswordHasher, type PasswordVerdict } from "../../../src/accounts/password/hasher.ts";
import { asStranger } from "../../helpers/callers.ts";
import { ANY_KIND } from "../../helpers/databases.ts";
import { assertError, login } from "../../helpers/http.ts";
import { openTestApp } from "../../helpers/test_app.ts";
import { hashTaking, OWN_MS, VirtualMachine } from "./virtual_machine.ts";

/** The costliest hash, and a cheap one, in milliseconds. */
const COSTLY = 300;
const CHEAP = 40;
/** The stored hashes by which failures could be told apart. */
const FORMS: Readonly<Record<string, string>> = {
  "none": makeUnmatchableHash(),
  "cheap": hashTaking(CHEAP),
  "middling": hashTaking(COSTLY - CHEAP),
  "costly": hashTaking(COSTLY),
  "unreadable": "5f4dcc3b5aa765d61d8327deb882cf99",
};

function openHasher(machine: VirtualMachine) {
  const hasher = createPasswordHasher({
    loadArgon2: () => Promise.resolve(machine.argon2),
    foreignWork: machine.foreignWork,
    foreignCosts: { covering: () => Promise.resolve([hashTaking(COSTLY)]) },
  });
  let clients = 0;
  /** Compares as a client of its own does, and returns how long that took, too. */
  const verify = (password: string, hash: string): Promise<PasswordVerdict & { readonly ms: number }> => {
    const client = `198.18.${clients++}.1`;
    const beganAt = machine.now;
    return asStranger(client, async () => {
      const verdict = await hasher.verify(password, hash);
      return { ...verdict, ms: machine.now - beganAt };
    });
  };
  return { hasher, verify };
}

/** A hasher that has compared before. */
async function openMeasured(machine: VirtualMachine) {
  const opened = openHasher(machine);
  await machine.run(opened.verify("wrong", FORMS["none"] ?? ""));
  return opened;
}

Deno.test("after a stop of 6 s, the fifth wrong password takes its normal time again", async () => {
  const machine = new VirtualMachine();
  const { hasher } = openHasher(machine);
  await using target = await openTestApp(ANY_KIND, { hasher, passwords: hasher });
  let clients = 0;
  const fail = async (): Promise<number> => {
    const [at, client] = [machine.now, clients++];
    const from = `198.18.${client}.1`;
    const answer = await machine.run(login(target, "ada@example.com", "wrong", { from }));
    assertError(answer, 401, "PASSWORD_INCORRECT");
    return machine.now - at;
  };
  await fail();
  const normal = await fail();
  assert.ok(normal <= OWN_MS + 1.5 * COSTLY, `${normal}`);
  // Those that were under way when it happened.
  machine.stopsFor = 6000;
  const [slow = 0] = await Promise.all(Array.from({ length: 4 }, fail));
  assert.ok(slow >= 6000, `${slow}`);
  for (let i = 0; i < 4; i++) await fail();
  assert.equal(await fail(), normal);
  // Nor does it come back once all times are old.
  machine.stopsFor = 6000;
  await fail();
  machine.now += 3_600_000;
  const later = await fail();
  assert.ok(later <= OWN_MS + 1.5 * COSTLY, `${later}`);
});

Deno.test(
  "a right password of another system waits at most twice its time beside eight wrong ones of strangers",
  async () => {
    const time = async (strangers: number): Promise<number> => {
      const machine = new VirtualMachine();
      const { hasher, verify } = await openMeasured(machine);
      const failures = Array.from({ length: strangers }, () => verify("wrong", FORMS["none"] ?? ""));
      // At the worst moment: one of them has just begun.
      const person = machine.run(
        machine.foreignWork.delay(OWN_MS + 1, new AbortController().signal).then(async () => {
          const { ms, ...verdict } = await verify("right", FORMS["costly"] ?? "");
          assert.deepEqual(verdict, { ok: true, needsRehash: true, isUnreadable: false });
          await hasher.hash("right");
          return ms;
        }),
      );
      const ms = await person;
      await machine.run(Promise.all(failures));
      return ms;
    };
    const [alone, beside] = [await time(0), await time(8)];
    assert.equal(alone, COSTLY);
    assert.ok(beside <= 2 * alone, `${beside}`);
  },
);

const FAILURES =
  "a failure takes as long whatever the hash is, also beside others, and on a machine that slows down";
Deno.test(FAILURES, async () => {
  /** Returns when each of several failures answers, of which some have a hash of this form. */
  const times = async (
    form: string,
    { places, count, slowness }: {
      readonly places: readonly number[];
      readonly count: number;
      readonly slowness: number;
    },
  ): Promise<number[]> => {
    const machine = new VirtualMachine();
    const { verify } = await openMeasured(machine);
    machine.slowness = slowness;
    const hashes = Array.from({ length: count }, (_, i) => FORMS[places.includes(i) ? form : "none"] ?? "");
    const verdicts = await machine.run(Promise.all(hashes.map((hash) => verify("wrong", hash))));
    assert.ok(verdicts.every(({ ok }) => !ok));
    return verdicts.map(({ ms }) => ms);
  };
  for (const [count, places] of [[1, [0]], [4, [0, 1, 2, 3]], [4, [3]], [6, [2, 4, 5]]] as const) {
    for (const slowness of [1, 1.3, 3]) {
      const probe = { places, count, slowness };
      const expected = await times("none", probe);
      for (const form of Object.keys(FORMS)) {
        assert.deepEqual(await times(form, probe), expected, `${form}, ${JSON.stringify(probe)}`);
      }
    }
  }
});

Deno.test("a slow hour of a machine is forgotten within minutes", async () => {
  const machine = new VirtualMachine();
  const { verify } = await openMeasured(machine);
  const fail = async (): Promise<number> => (await machine.run(verify("wrong", FORMS["cheap"] ?? ""))).ms;
  const normal = await fail();
  for (let i = 0; i < 40; i++) {
    machine.stopsFor = 3 * COSTLY;
    await machine.run(verify("wrong", FORMS["none"] ?? ""));
  }
  assert.ok(await fail() > 2 * normal);
  machine.now += 5 * 60_000;
  for (let i = 0; i < 3; i++) await machine.run(verify("wrong", FORMS["none"] ?? ""));
  assert.equal(await fail(), normal);
});

Deno.test("passwords that may have been spelled in three ways are all compared, in three times the time at most", async () => {
  /** Returns how many wrong passwords of strangers are compared, and when all have answered. */
  const fill = async (password: string): Promise<{ readonly accepted: number; readonly ms: number }> => {
    const machine = new VirtualMachine();
    const { verify } = await openMeasured(machine);
    const beganAt = machine.now;
    const all = Promise.allSettled(Array.from({ length: 25 }, () => verify(password, FORMS["none"] ?? "")));
    const ends = await machine.run(all);
    for (const end of ends) if (end.status === "rejected") assert.equal(end.reason.code, "UNAVAILABLE");
    const accepted = ends.filter(({ status }) => status === "fulfilled").length;
    return { accepted, ms: machine.now - beganAt };
  };
  const [plain, spelled] = [await fill("wrong"), await fill("\uff43e\u0301\u3000")];
  assert.deepEqual([plain.accepted, spelled.accepted], [25, 25]);
  assert.ok(spelled.ms <= 3 * plain.ms, `${spelled.ms} ${plain.ms}`);
});
