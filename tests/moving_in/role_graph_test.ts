/** The lines of roles become a graph, or problems by line. */
import assert from "node:assert/strict";
import type { Cells } from "../../src/transfer/roles/role_format.ts";
import {
  type GraphOptions,
  GraphReader,
  type ImportGraph,
  type KnownRole,
  type KnownRoles,
  NOT_BELOW,
  TOP,
} from "../../src/transfer/roles/role_graph.ts";

type Line = readonly [key: string, parents: string, manages?: string];

function cellsOf([key, parents, manages = "all"]: Line): Cells {
  return { key, name: `Role ${key}`, parents, manages, selfRights: "" };
}

function read(lines: readonly Line[]): GraphReader {
  const reader = new GraphReader();
  for (const [i, line] of lines.entries()) reader.add(i + 2, cellsOf(line));
  return reader;
}

function problemsOf(lines: readonly Line[], under = false): (string | number)[][] {
  const checked = read(lines).finish({ under });
  return "problems" in checked ? checked.problems.map(({ line, message }) => [line, message]) : [];
}

function graphOf(lines: readonly Line[], options: GraphOptions): ImportGraph {
  const checked = read(lines).finish(options);
  return "graph" in checked ? checked.graph : assert.fail(JSON.stringify(checked.problems));
}

const LINES: Line[] = [
  ["child", "|parent=viewManagement", "roleManagement"],
  ["parent", ""],
  ["grandchild", "child"],
];

function relationsOf({ relations }: ImportGraph): number[][] {
  return relations.map(({ parentId, childId, rights }) => [parentId, childId, rights]);
}

Deno.test("roles are numbered by position, and those at the top become roots", () => {
  const graph = graphOf(LINES, { under: false });
  assert.equal(graph.under, false);
  assert.deepEqual(graph.rows.map(({ key }) => key), ["child", "parent", "grandchild"]);
  assert.deepEqual(relationsOf(graph), [[2, 1, 4], [1, 3, 63]]);
  assert.equal(graph.closure.size, 3);
});

Deno.test("in an import under a role, the roles at the top become its children", () => {
  const graph = graphOf(LINES, { under: true });
  assert.equal(graph.under, true);
  assert.deepEqual(relationsOf(graph), [[TOP, 1, 1], [2, 1, 4], [TOP, 2, 63], [1, 3, 63]]);
  assert.deepEqual(
    Array.from(
      graph.closure.rows(),
      ({ descendantId, ancestorId, rights }) => [descendantId, ancestorId, rights],
    ),
    [[1, 0, 5], [1, 2, 4], [2, 0, 63], [3, 0, 5], [3, 1, 63], [3, 2, 4]],
  );
});

/** Role 1 is imported under, 2 is below it, and 3 is elsewhere. */
function knownRole(id: number, externalId = `x${id}`): KnownRole & { readonly externalId: string } {
  const parents = new Map([[id === 2 ? 1 : 9, 63]]);
  const role = { id, externalId, name: `Role ${id}`, selfRights: 0, isRoot: false, parents };
  return { ...role, root: 9, externalRoot: 9, isFenced: id !== 2 };
}
const ROLES = [1, 2, 3].map((id) => knownRole(id));
const KNOWN: KnownRoles = {
  byId: (id) => ROLES.find((role) => role.id === id),
  byExternalId: (externalId) => ROLES.find((role) => role.externalId === externalId),
};

Deno.test("under a fence, the role at the top may be named and those below it changed, and no others", () => {
  const reader = new GraphReader();
  const rows = [["top", "x1", "#2"], ["below", "x2", "#1"], ["outside", "x3", "x2"], ["new", "", "x3|#2"]];
  for (const [i, [key = "", externalId = "", parents = ""]] of rows.entries()) {
    reader.add(i + 2, { ...cellsOf([key, parents]), externalId });
  }
  const checked = reader.finish({ under: true, underId: 1, known: KNOWN });
  const told = "problems" in checked ? checked.problems.map(({ line, message }) => [line, message]) : [];
  assert.deepEqual(told.filter(([, message]) => `${message}`.endsWith(NOT_BELOW)), [
    [2, `externalId "x1" is that of role #1, ${NOT_BELOW}`],
    [4, `externalId "x3" is that of role #3, ${NOT_BELOW}`],
    [5, `the parent "x3" is a role ${NOT_BELOW}`],
  ]);
  const graph = graphOf([["new", "#2"]], { under: true, underId: 1, known: KNOWN });
  const outside = [{ id: 1 }, { id: 2 }, { id: 3 }, { position: 1 }].map((place) => graph.isOutside(place));
  assert.deepEqual(outside, [false, false, true, false]);
});

Deno.test("rows without external ids are those of an interrupted import of the same file and place", () => {
  const lines: Line[] = [["a", "#1"], ["b", "a"]];
  const brought = new Map([["a", 2]]);
  const graph = graphOf(lines, { under: true, underId: 1, known: KNOWN, brought });
  assert.deepEqual(graph.rows.map(({ key }) => key), ["b"]);
  assert.deepEqual([relationsOf(graph), graph.changed.map(({ id }) => id)], [[[-2, 1, 63]], [2]]);
  assert.deepEqual([...read(lines).references(brought).ids], [2, 1]);
  const first = read(lines).fingerprint(1);
  assert.equal(read(lines).fingerprint(1), first);
  for (const other of [read(lines).fingerprint(2), read([...lines, ["c", "b"]]).fingerprint(1)]) {
    assert.notEqual(other, first);
  }
  const reader = new GraphReader();
  reader.add(2, { ...cellsOf(["a", "#1"]), externalId: "x" });
  assert.equal(reader.fingerprint(1), undefined);
});

Deno.test("a closure with more rows than allowed is refused", () => {
  assert.equal(graphOf(LINES, { under: false, maxRows: 3 }).closure.size, 3);
  assert.throws(() => read(LINES).finish({ under: false, maxRows: 2 }), { name: "ClosureTooLargeError" });
});

Deno.test("a duplicate key is refused in its second line", () => {
  assert.deepEqual(problemsOf([["a", ""], ["b", ""], ["a", ""], ["c", "a"]]), [
    [4, 'key "a" is already in line 2'],
  ]);
});

Deno.test("two unreadable keys are no duplicate", () => {
  assert.deepEqual(problemsOf([["", ""], ["", ""]]), [[2, "key is empty"], [3, "key is empty"]]);
});

Deno.test("an unknown parent is reported, but not one whose line was unreadable", () => {
  const unknown = 'the parent "nobody" is neither in the file nor in the database';
  assert.deepEqual(problemsOf([["a", "=all|nobody"]]), [[2, unknown]]);
  assert.deepEqual(problemsOf([["a", "=x"], ["b", "a"]]).map(([line]) => line), [2]);
});

Deno.test("a role without a parent that has roleManagement is refused, unless it is a root", () => {
  const lines: Line[] = [["a", "", "viewManagement"], ["b", "a", "userManagement|viewManagement"]];
  assert.deepEqual(problemsOf(lines), [[3, 'no parent manages "b" with roleManagement']]);
  assert.deepEqual(problemsOf(lines, true), [
    [2, 'no parent manages "a" with roleManagement'],
    [3, 'no parent manages "b" with roleManagement'],
  ]);
  assert.deepEqual(problemsOf([["a", ""], ["b", "a=viewManagement|c"], ["c", "a"]]), []);
  assert.deepEqual(problemsOf([["a", "", "all"], ["b", "=roleManagement|a=viewManagement"]], true), []);
});

Deno.test("a cycle is reported in its first line, along the relations", () => {
  assert.deepEqual(problemsOf([["x", ""], ["a", "c"], ["b", "a"], ["c", "b"]]), [
    [3, 'the roles manage one another in a cycle: "b" -> "c" -> "a" -> "b"'],
  ]);
});

Deno.test("a reported cycle names at most ten roles", () => {
  const cycleOf = (length: number): Line[] => {
    return Array.from({ length }, (_, i) => [`k${i}`, `k${(i + length - 1) % length}`]);
  };
  const [[, ten = ""] = []] = problemsOf(cycleOf(10));
  assert.equal(String(ten).match(/"k\d+"/g)?.length, 11);
  assert.doesNotMatch(String(ten), /…/);
  const [[line, eleven = ""] = []] = problemsOf(cycleOf(11));
  assert.equal(line, 2);
  assert.match(String(eleven), /: ("k\d+" -> ){10}… \(11 roles\) -> "k\d+"$/);
});

Deno.test("problems are ordered by line, including those of unreadable lines", () => {
  const reader = read([["a", "=x"], ["b", "nobody"]]);
  reader.report(9, "cannot be read");
  reader.report(1, "is no header");
  const checked = reader.finish({ under: false });
  assert.ok("problems" in checked);
  assert.deepEqual(checked.problems.map(({ line }) => line), [1, 2, 3, 9]);
});

Deno.test("a file without lines is an empty graph", () => {
  const graph = graphOf([], { under: true });
  assert.deepEqual([graph.rows, graph.relations, graph.closure.size], [[], [], 0]);
});
