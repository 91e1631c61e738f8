/** The guard of every command notices a change of any of its facts. */
import assert from "node:assert/strict";
import { bindNamed, type SqlArgs, type SqlValue, type Statement } from "../../src/db/statement.ts";
import { haveFactsChanged, isDecided, type RunnableCommand } from "../../src/changes/command.ts";
import { forEachApp, query } from "../helpers/http.ts";
import { bootstrap } from "../helpers/person.ts";
import { collectStatements } from "./query_plans.ts";

/** The commands by name: each is in the batches of a change, of its preview, and of both with `If-Effect`. */
async function collectCommands(): Promise<Map<string, RunnableCommand>> {
  const decided = (await collectStatements()).flatMap(({ statement }) =>
    isDecided(statement) ? [statement.command] : []
  );
  return new Map(decided.map((command) => [command.name, command]));
}

/** Arguments that are no numbers. */
const TEXTS: SqlArgs = {
  email: "ada@example.com",
  comparedHash: "hash",
  attemptId: "attempt",
  externalIds: '["one"]',
  idempotencyKey: "key",
  fingerprint: "print",
  undoneTo: "1",
};

forEachApp("the guard of every command fails a write if any of its facts has changed", async (target) => {
  await bootstrap(target);
  const [{ id: sessionId = "" } = {}] = await query<{ id: string }>(target, "SELECT id FROM session");
  const commands = await collectCommands();
  assert.ok(commands.size >= 22);
  for (const { name, reads, guards } of commands.values()) {
    const argsOf = ({ parameters }: Statement): SqlArgs => {
      // Without a session, it is an administrator's.
      const principal = { actorId: parameters.has("sessionId") ? 1 : 0, sessionId, now: target.clock.now() };
      const known: Readonly<Record<string, SqlValue>> = { ...principal, ...TEXTS };
      return Object.fromEntries([...parameters].map((parameter) => [parameter, known[parameter] ?? 1]));
    };
    const texts: string[] = [];
    for (const memberships of ["few", "many"] as const) {
      const args = argsOf(reads.many);
      const [row] = await target.database.read(bindNamed(reads[memberships], args));
      const text = (row as { facts: string | null }).facts;
      if (text === null) {
        assert.ok(memberships === "few" && args["actorId"] === 0, name);
        continue;
      }
      const compare = (facts: string) =>
        target.database.write([bindNamed(guards[memberships], { ...args, facts })]);
      await compare(text);
      texts.push(text);
      const facts = JSON.parse(text) as Record<string, unknown>;
      for (const fact of Object.keys(facts)) {
        const changed = JSON.stringify({ ...facts, [fact]: "changed" });
        await assert.rejects(compare(changed), haveFactsChanged, `${name}, ${memberships}: ${fact}`);
      }
    }
    assert.equal(new Set(texts).size, 1, `${name}: both texts select the same`);
  }
});
