import { defineStatement } from "../../tests/helpers/text_statement.ts";
import { type Attack, crowdOf, type Strike } from "./attack.ts";
import type { LargeScene } from "../../tests/helpers/large_scene.ts";

/** Refused requests: a refusal costs less than the work. */

const END_SESSION = defineStatement(`UPDATE session SET ended_at = 1 WHERE id = :sessionId`);

const SET_HASH = defineStatement(`UPDATE user_account SET password_hash = :hash WHERE id = :userId`);
/** Of Argon2 with 64 MiB and two passes. No password fits. */
const LARGE_HASH = `$argon2id$v=19$m=65536,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;

const JSON_TYPE = { "Content-Type": "application/json" };
const MEBIBYTE = 1024 * 1024;
const STRANGERS = 1300;
/** A body that was not called long when all faults in it were reported. */
const SHORT_BYTES = 65_000;

/** `before`, as many of the items as fit, and `after`. */
function filled(bytes: number, before: string, itemOf: (i: number) => string, after: string): string {
  const items: string[] = [];
  let length = before.length + after.length;
  for (let i = 0;; i++) {
    const item = itemOf(i);
    length += item.length + 1;
    if (length > bytes) break;
    items.push(item);
  }
  return before + items.join() + after;
}

/** As long as a token of the service, signed with another key. */
const FORGED = `${btoa('{"alg":"EdDSA","typ":"at+jwt","kid":"1"}')}.${btoa('{"sub":"5"}')}.${"A".repeat(86)}`;

const FAULTY_CHECKS = filled(SHORT_BYTES, '{"checks":[', () => "{}", "]}");
const ESCAPED_NAMES = filled(MEBIBYTE - 200, "{", (i) => String.raw`"\n${i}":1`, "}");
const MANY_NAMES = filled(MEBIBYTE - 200, "{", (i) => `"n${i}":1`, "}");
const LONG_IDS = filled(MEBIBYTE, '{"filter":{"id":[', (i) => String(1_000_000 + i), "]}}");

/** Strangers who invent undo links, from this many networks. */
function undoFrom(networks: number): Strike {
  const strikes = Array.from({ length: networks }, (_, i) =>
    crowdOf({
      connections: Math.floor(STRANGERS / networks),
      path: "/user/email/undo",
      headers: { "X-Forwarded-For": `10.${i}.0.1` },
      body: { token: "A".repeat(43) },
    }));
  return async (target) => {
    await Promise.all(strikes.map((strike) => strike(target)));
  };
}

/** A token of a session that is over. */
async function endedToken(scene: LargeScene): Promise<string> {
  const { token, sessionId } = await scene.addPerson();
  await scene.write([END_SESSION], { sessionId });
  return token;
}

function sendAs(token: string, path: string, body: string, connections = 16): Strike {
  return crowdOf({ connections, path, token, headers: JSON_TYPE, body });
}

/** Crowds of connections. They come from the machine that serves them, and take one of its two cores. */
const CROWDS: readonly Attack[] = [
  {
    name: `${STRANGERS} strangers of 250 networks who make up links`,
    answers: [401, 503],
    prepare: () => Promise.resolve(undoFrom(250)),
  },
  {
    name: `${STRANGERS} connections with a forged token`,
    answers: [401, 503],
    prepare: () =>
      Promise.resolve(crowdOf({
        connections: STRANGERS,
        path: "/v1/rights/check",
        token: FORGED,
        headers: JSON_TYPE,
        body: '{"checks":[]}',
      })),
  },
  {
    name: `${STRANGERS} strangers of one network who make up links`,
    answers: [401, 503],
    prepare: () => Promise.resolve(undoFrom(1)),
  },
  {
    name: `${STRANGERS} strangers of 250 networks who guess passwords`,
    answers: [401, 429, 503],
    prepare: () =>
      Promise.resolve(async (target) => {
        await Promise.all(Array.from({ length: 250 }, (_, i) =>
          crowdOf({
            connections: 5,
            path: "/auth/login",
            headers: { "X-Forwarded-For": `10.${i}.0.1` },
            body: { username: `nobody${i}@stall.example`, password: "a wrong password" },
          })(target)));
      }),
  },
  {
    name: "strangers of 20 networks who guess passwords whose hashes of another system take 64 MiB",
    answers: [401, 429, 503],
    async prepare(scene) {
      const people = await Promise.all(Array.from({ length: 20 }, () => scene.addPerson()));
      for (const { userId } of people) await scene.write([SET_HASH], { userId, hash: LARGE_HASH });
      return async (target) => {
        await Promise.all(people.map(({ email }, i) =>
          crowdOf({
            connections: 4,
            path: "/auth/login",
            headers: { "X-Forwarded-For": `10.${i}.0.1` },
            body: { username: email, password: "a wrong password" },
          })(target)
        ));
      };
    },
  },
];

export const REFUSAL_ATTACKS: readonly Attack[] = [
  ...CROWDS,
  {
    name: "65 kB of checks that are all faulty",
    answers: [400],
    async prepare(scene) {
      return sendAs((await scene.addPerson()).token, "/v1/rights/check", FAULTY_CHECKS, 120);
    },
  },
  {
    name: "65 kB of checks that are all faulty, in a session that is over",
    answers: [401],
    async prepare(scene) {
      return sendAs(await endedToken(scene), "/v1/rights/check", FAULTY_CHECKS);
    },
  },
  {
    name: "a mebibyte of names with escapes, as properties of a device",
    answers: [400, 503],
    async prepare(scene) {
      const { token } = await scene.addPerson();
      return sendAs(token, "/v1/device?roleId=1", `{"properties":${ESCAPED_NAMES}}`, 8);
    },
  },
  {
    name: "60 kB of names with escapes, as properties of a device, on 120 connections",
    answers: [400, 503],
    async prepare(scene) {
      const { token } = await scene.addPerson();
      const names = Array.from({ length: 999 }, (_, i) => String.raw`"\n${i}":${"1".repeat(50)}`);
      return sendAs(token, "/v1/device?roleId=1", `{"properties":{${names}}}`, 120);
    },
  },
  {
    name: "a mebibyte of names, as properties of a device and as context",
    answers: [200, 400, 503],
    async prepare(scene) {
      const { token } = await scene.addPerson();
      const evaluation = '"subject":{"type":"user","id":"1"},"action":{"name":"member"}';
      const strikes = [
        sendAs(token, "/v1/device?roleId=1", `{"properties":${MANY_NAMES}}`, 4),
        sendAs(token, "/access/v1/evaluation", `{${evaluation},"context":${MANY_NAMES}}`, 4),
      ];
      return async (target) => {
        await Promise.all(strikes.map((strike) => strike(target)));
      };
    },
  },
  {
    name: "a mebibyte of long ids",
    answers: [400, 503],
    async prepare(scene) {
      return sendAs((await scene.addPerson()).token, "/v1/role/query", LONG_IDS, 8);
    },
  },
];
