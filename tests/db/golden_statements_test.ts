import assert from "node:assert/strict";
import { layOut } from "./sql_layout.ts";
import { GOLDEN_FOLDER, renderGoldenStatements } from "./write_golden_statements.ts";

const WHAT_TO_DO = "run `deno run -A tests/db/write_golden_statements.ts` and review the difference";

Deno.test("every long statement matches its golden file", async () => {
  for (const { file, text } of await renderGoldenStatements()) {
    assert.equal(text, readGolden(file), `${file} has changed: ${WHAT_TO_DO}`);
  }
});

Deno.test("no golden file is missing, and none is left over", async () => {
  const golden = Array.from(Deno.readDirSync(GOLDEN_FOLDER), ({ name }) => name);
  const wanted = (await renderGoldenStatements()).map(({ file }) => file);
  assert.deepEqual(golden.sort(), wanted.sort(), WHAT_TO_DO);
});

function readGolden(name: string): string | undefined {
  try {
    return Deno.readTextFileSync(new URL(name, GOLDEN_FOLDER));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

Deno.test("the layout of a statement does not depend on the line breaks of its source", () => {
  const laidOut = layOut(
    `SELECT id FROM member WHERE role_id = :roleId AND (:ids IS NULL OR id IN (SELECT value
    FROM json_each(:ids)) OR created_at BETWEEN :from AND :to OR CASE kind WHEN 'a' THEN true END) AND note <> 'a  (b' ORDER BY id`,
  );
  assert.equal(
    laidOut,
    `SELECT id
FROM member
WHERE role_id = :roleId
  AND (
    :ids IS NULL
    OR id IN (SELECT value FROM json_each(:ids))
    OR created_at BETWEEN :from AND :to
    OR CASE kind WHEN 'a' THEN true END
  )
  AND note <> 'a  (b'
ORDER BY id
`,
  );
  assert.equal(layOut(laidOut), laidOut);
});
