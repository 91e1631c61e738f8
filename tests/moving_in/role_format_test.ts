/** The cells of a role's line are read and written, and each fault is named. */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type Cells,
  formatRow,
  type HierarchyRow,
  quote,
  readCells,
} from "../../src/transfer/roles/role_format.ts";

const CELLS: Cells = { key: "a", name: "A", parents: "p", manages: "all", selfRights: "" };

const RIGHTS = 'rights are "all", nothing, or some of roleManagement, userManagement, viewManagement, ' +
  "deviceManagement, reportManagement, alarmManagement";

function rowOf(cells: Partial<Cells>): HierarchyRow {
  const { row, problems } = readCells({ ...CELLS, ...cells });
  return row ?? assert.fail(problems.join("; "));
}

/** The rights by parent, with the top as "". */
function parentsOf(cells: Partial<Cells>): Record<string, number> {
  const { topRights, parents } = rowOf(cells);
  return { ...(topRights === undefined ? {} : { "": topRights }), ...Object.fromEntries(parents) };
}

Deno.test("spaces around the parts of a line are ignored", () => {
  assert.deepEqual(
    rowOf({
      key: " a ",
      name: " A ",
      selfRights: " userManagement | alarmManagement ",
      manages: " roleManagement ",
    }),
    { key: "a", name: "A", selfRights: 34, topRights: undefined, parents: new Map([["p", 1]]) },
  );
});

Deno.test('spaces around "all" and empty rights are ignored', () => {
  const { selfRights, parents } = rowOf({ selfRights: " all ", manages: " " });
  assert.deepEqual([selfRights, parents], [63, new Map([["p", 0]])]);
});

Deno.test("a parent has its own rights or those of the manages column", () => {
  const parents = "p|q=viewManagement+roleManagement| r = all |s=";
  assert.deepEqual(parentsOf({ parents, manages: "" }), { p: 0, q: 5, r: 63, s: 0 });
});

Deno.test("an empty first key is the top, with its own rights or those of the manages column", () => {
  assert.deepEqual(parentsOf({ parents: "", manages: "viewManagement" }), { "": 4 });
  assert.deepEqual(parentsOf({ parents: " =all|p", manages: "viewManagement" }), { "": 63, p: 4 });
});

const PROBLEMS: readonly (readonly [Partial<Cells>, string])[] = [
  [{ key: " " }, "key is empty"],
  [{ key: "k".repeat(257) }, "key is longer than 256 characters"],
  [{ key: "a|b" }, 'key "a|b" must not contain "|", "=" or control characters'],
  [{ key: "a=b" }, 'key "a=b" must not contain "|", "=" or control characters'],
  [{ key: "a\u009bb" }, 'key "a\\u009bb" must not contain "|", "=" or control characters'],
  [{ name: " " }, "name must be 1 to 256 characters without control characters"],
  [{ name: "n".repeat(257) }, "name must be 1 to 256 characters without control characters"],
  [{ name: "a\nb" }, "name must be 1 to 256 characters without control characters"],
  [{ selfRights: "all|all" }, `selfRights contains "all|all": ${RIGHTS}`],
  [
    { selfRights: "roleManagement+userManagement" },
    `selfRights contains "roleManagement+userManagement": ${RIGHTS}`,
  ],
  [{ manages: "RoleManagement" }, `manages contains "RoleManagement": ${RIGHTS}`],
  [{ manages: "roleManagement|" }, `manages contains "roleManagement|": ${RIGHTS}`],
  [{ parents: "p=x" }, `parents contains "p=x": ${RIGHTS}`],
  [{ parents: "p=all=all" }, `parents contains "p=all=all": ${RIGHTS}`],
  [{ parents: "p=roleManagement=" }, `parents contains "p=roleManagement=": ${RIGHTS}`],
  [{ parents: "p||q" }, "parents contains an empty key: only the first key may be empty"],
  [{ parents: "p|=all" }, "parents contains an empty key: only the first key may be empty"],
  [{ parents: "p|q|p=all" }, 'parents names "p" twice'],
  [{ parents: "p|a" }, '"a" is its own parent'],
];

Deno.test("a line with a wrong cell is refused with the problem alone", () => {
  for (const [cells, problem] of PROBLEMS) {
    const { row, problems } = readCells({ ...CELLS, ...cells });
    assert.deepEqual([row, problems], [undefined, [problem]], JSON.stringify(cells));
  }
});

Deno.test("a key of 256 characters is read, and a wrong key cannot be referred to", () => {
  assert.equal(readCells({ ...CELLS, key: "k".repeat(256) }).key, "k".repeat(256));
  assert.equal(readCells({ ...CELLS, key: "a|b" }).key, undefined);
  assert.equal(readCells({ ...CELLS, name: "" }).key, "a");
});

Deno.test("all problems of a line are reported at once", () => {
  const { problems } = readCells({ key: "", name: "", parents: "p=x|q=y", manages: "z", selfRights: "z" });
  assert.equal(problems.length, 6);
});

Deno.test("a quoted text is short and has no control characters", () => {
  assert.equal(quote("x".repeat(60)), `"${"x".repeat(60)}"`);
  assert.equal(quote("x".repeat(61)), `"${"x".repeat(60)}…"`);
  assert.equal(quote('"\n\u007f\u0085'), '"\\"\\n\\u007f\\u0085"');
});

Deno.test("manages holds the rights of the first entry, and equal rights are not repeated", () => {
  const row = { key: "a", name: "A", selfRights: 63, topRights: undefined };
  const parents = new Map([["p", 5], ["q", 0], ["r", 5], ["s", 63]]);
  assert.deepEqual(formatRow({ ...row, parents }), {
    key: "a",
    name: "A",
    parents: "p|q=|r|s=all",
    manages: "roleManagement|viewManagement",
    selfRights: "all",
  });
  assert.deepEqual(formatRow({ ...row, selfRights: 0, topRights: 3, parents }), {
    key: "a",
    name: "A",
    parents: "|p=roleManagement+viewManagement|q=|r=roleManagement+viewManagement|s=all",
    manages: "roleManagement|userManagement",
    selfRights: "",
  });
  const alone = formatRow({ ...row, selfRights: 0, parents: new Map() });
  assert.deepEqual(alone, { key: "a", name: "A", parents: "", manages: "", selfRights: "" });
});

const mask = fc.nat({ max: 63 });

Deno.test("reading a written row returns it", () => {
  const parents = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[b-z]{1,3}$/), mask), {
    selector: ([key]) => key,
    minLength: 1,
  });
  fc.assert(fc.property(mask, fc.option(mask, { nil: undefined }), parents, (selfRights, topRights, list) => {
    const row = { key: "a", name: "A", selfRights, topRights, parents: new Map(list) };
    assert.deepEqual(readCells(formatRow(row)), { key: "a", row, problems: [] });
  }));
});
