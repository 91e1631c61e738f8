/**
 * A request is let in, and then reads and decides before it writes. What ends in between must have ended for the write:
 * its own statements check it, in their transaction.
 */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import type { Database } from "../../src/db/database.ts";
import { bind, type SqlArgs } from "../../src/db/statement.ts";
import { dumpState, send, testApp } from "../helpers/http.ts";
import { requestsTo, type TestApp } from "../helpers/test_app.ts";
import { sudoTokenFor, takesSudo, withSudo } from "../helpers/sudo.ts";
import { defineStatement } from "../helpers/text_statement.ts";
import {
  catalogue,
  type CatalogueRequest,
  methodOf,
  requestOf,
  sentOf,
  setScene,
} from "./request_catalogue.ts";

/** What ends for the user and session of a token, how it is put back, and how those requests are refused. */
interface Ending {
  readonly end: string;
  readonly putBack: string;
  readonly status: (path: string, isProven: boolean) => number | undefined;
}

const SESSION = "WHERE id = :sessionId AND user_id = :userId";
const ENDINGS: Readonly<Record<string, Ending>> = {
  "a session that is ended": {
    end: `UPDATE session SET ended_at = :now ${SESSION}`,
    putBack: `UPDATE session SET ended_at = NULL ${SESSION}`,
    status: () => 401,
  },
  "a session whose time is up": {
    end: `UPDATE session SET idle_until = :now ${SESSION}`,
    putBack: `UPDATE session SET idle_until = expires_at ${SESSION}`,
    status: () => 401,
  },
  "proof that a change makes void": {
    end: "UPDATE user_account SET security_version = security_version + 1 WHERE id = :userId",
    putBack: "UPDATE user_account SET security_version = security_version - 1 WHERE id = :userId",
    status: (_path, isProven) => isProven ? 401 : undefined,
  },
  "a membership that ends": {
    end: "UPDATE member SET ends_at = :now WHERE user_id = :userId",
    putBack: "UPDATE member SET ends_at = NULL WHERE user_id = :userId",
    status: (path) => path.startsWith("/v1/role") ? 403 : undefined,
  },
};

async function change({ database }: TestApp, sql: string, known: SqlArgs): Promise<void> {
  const statement = defineStatement(sql);
  const args = Object.fromEntries(Object.entries(known).filter(([name]) => statement.parameters.has(name)));
  await database.write([bind(statement, args)]);
}

/** The same app, which calls `hook` before each write. */
function beforeWrites(target: TestApp, hook: () => Promise<void>): TestApp {
  const { deps } = target;
  const database: Database = {
    ...target.database,
    write: async (statements) => {
      await hook();
      return await target.database.write(statements);
    },
  };
  const app = createApp({ ...deps, database });
  return {
    ...target,
    request: async (path, init = {}) => await requestsTo(app)(path, await withSudo(deps, path, init)),
  };
}

interface Person {
  readonly userId: number;
  readonly sessionId: string;
}

/** The user and session of an access or sudo token; undefined for other tokens. */
async function personOf({ deps }: TestApp, token = ""): Promise<Person | undefined> {
  for (const kind of [deps.accessTokens, deps.sudoTokens]) {
    if (!kind.claimsToBe(token)) continue;
    const { userId, sessionId } = await kind.verify(token);
    return { userId, sessionId };
  }
  return undefined;
}

for (const [name, { end, putBack, status }] of Object.entries(ENDINGS)) {
  testApp(`${name} before a request writes keeps it from changing anything`, async (target) => {
    const scene = await setScene(target);
    const keysToo: CatalogueRequest = {
      ...requestOf(scene, "DELETE /user/session"),
      path: "/user/session?keys=true",
      bearer: await sudoTokenFor(target.deps, scene.accessToken),
    };
    const wrong: string[] = [];
    let writes = 0;
    for (const request of [keysToo, ...catalogue(scene)]) {
      const sent = sentOf(scene, request);
      const isProven = target.deps.sudoTokens.claimsToBe(sent.token ?? "") ||
        takesSudo(methodOf(request), request.path);
      const [person, expected] = [await personOf(target, sent.token), status(request.path, isProven)];
      if (person === undefined || expected === undefined) continue;
      const args = { ...person, now: target.clock.now() };
      let before: string | undefined;
      const hooked = beforeWrites(target, async () => {
        if (before !== undefined) return;
        await change(target, end, args);
        before = await dumpState(target);
      });
      const answer = await send(hooked, methodOf(request), request.path, sent);
      if (before === undefined) continue;
      writes++;
      if (await dumpState(target) !== before) wrong.push(`${request.route} changes something`);
      if (answer.status !== expected) wrong.push(`${request.route}: ${answer.status} ${answer.text}`);
      await change(target, putBack, args);
    }
    assert.deepEqual(wrong, []);
    assert.ok(writes > 5, `${writes} requests write`);
  });
}
