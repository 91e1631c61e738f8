/** Binding gives each statement exactly the values that it names, and keeps its marks. */
import assert from "node:assert/strict";
import { bind, bindBatch, namedArgs } from "../../src/db/statement.ts";
import { defineStatement } from "../helpers/text_statement.ts";

const INSERT = defineStatement("INSERT INTO t (a, b) VALUES (:first, :second)");
const SELECT = defineStatement("SELECT a FROM t WHERE b = :second AND c <> ':quoted'");

Deno.test("a batch gives each statement exactly the values that it names", () => {
  const bound = bindBatch([INSERT, SELECT], { first: "x", second: null });
  assert.deepEqual(bound.map(namedArgs), [{ first: "x", second: null }, { second: null }]);
  assert.equal(bound[0]?.args, bound[1]?.args, "the values are shared, to be copied once");
});

Deno.test("a batch with a missing value is refused and names the parameter", () => {
  assert.throws(() => bindBatch([INSERT, SELECT], { first: "x" }), {
    name: "TypeError",
    message: /no value for ":second"/,
  });
});

Deno.test("a batch with a value that no statement uses is refused and names the value", () => {
  assert.throws(() => bindBatch([SELECT], { second: 1, first: 2 }), {
    name: "TypeError",
    message: /uses first$/,
  });
});

Deno.test("a name inside a text literal is not a parameter", () => {
  assert.throws(() => bind(SELECT, { second: 1, quoted: 2 }), { name: "TypeError", message: /uses quoted$/ });
});

Deno.test("whole numbers are bound as integers, and others as they are", () => {
  assert.deepEqual(bind(INSERT, { first: 3, second: 0.5 }).args, { first: 3n, second: 0.5 });
});

Deno.test("a bound statement still says that it queues a mail", () => {
  const args = { first: 1, second: 2 };
  const [queueing, other] = bindBatch([{ ...INSERT, queuesMail: true }, SELECT], args);
  assert.equal(queueing?.queuesMail, true);
  assert.equal(other?.queuesMail, undefined);
});

Deno.test("a bound statement keeps the marks of its statement, and has no others", () => {
  const marks = { queuesMail: true, isProbe: true } as const;
  const { sql, args, names, ...kept } = bind({ ...SELECT, ...marks }, { second: 1 });
  assert.deepEqual(kept, marks);
  assert.deepEqual(bind(SELECT, { second: 1 }), { sql, args, names });
});
