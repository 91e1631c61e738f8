import { type Acceptance, ANY_ENTRY, ANY_TEXT } from "./acceptance.ts";

export const OF_ROLE: readonly Acceptance[] = [
  {
    target: "graph/closure/closure",
    lineText: "for (let i = 1; i < starts.length; i++) starts[i]! += at(starts, i - 1);",
    changes: [["i < starts.length", "i <= starts.length"]],
    reason: "Writing past the end of a typed array does nothing.",
  },
  {
    target: "graph/closure/closure",
    lineText: "for (let start = 0; start < state.length; start++) {",
    changes: [["start < state.length", "start <= state.length"]],
    reason: "Past its end the array has no new roles.",
  },
  {
    target: "graph/closure/closure",
    lineText: "if (needed <= this.#ancestors.length) return;",
    changes: [["needed <= this.#ancestors.length", "needed < this.#ancestors.length"]],
    reason: "Arrays that grow one row too early have the same content.",
  },
  {
    target: "graph/closure/closure",
    lineText: "const length = Math.max(needed, 2 * this.#ancestors.length);",
    changes: [["2 * this.#ancestors.length", "2 / this.#ancestors.length"]],
    reason: "Only slower: the arrays grow by no more than is needed.",
  },
  {
    target: "transfer/roles/role_format",
    lineText: "const row = problems.length === 0 && name.success && selfRights !== undefined",
    changes: [["selfRights !== undefined", "true"]],
    reason: "For the types: if it is undefined, there is a problem.",
  },
  {
    target: "transfer/roles/role_format",
    lineText: 'const [key = "", ...assigned] = entry.split("=").map(trimBlanks);',
    changes: [['""', ANY_TEXT]],
    reason: "For the types: a split text has a first part.",
  },
  {
    target: "transfer/roles/role_format",
    lineText: "const masks: RightsMask[] = [];",
    changes: [["[]", ANY_ENTRY]],
    reason: "A string adds no right when rights are combined.",
  },
  {
    target: "transfer/roles/role_graph",
    lineText: "if (closure === undefined || this.#problems.length > 0) return { problems: this.problems() };",
    changes: [["closure === undefined", "false"]],
    reason: "For the types: if it is undefined, there is a problem.",
  },
  {
    target: "transfer/roles/role_graph",
    lineText: "this.#reportCycle(error.roleIds.flatMap((node) => rowsOfNodes.get(node) ?? []));",
    changes: [["[]", ANY_ENTRY]],
    reason: "For the types: the roles of a cycle are rows, since nothing manages the top.",
  },
  {
    target: "changes/decision",
    lineText:
      "if (retryAfterSeconds === undefined || !REFUSED_FOR_NOW.has(row.decision)) throw new AppError(code);",
    changes: [["retryAfterSeconds === undefined", "false"]],
    reason: "The error has no wait in either case.",
  },
  {
    target: "changes/idempotency",
    lineText: "return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));",
    changes: [["a < b", "a <= b"]],
    reason: "The keys of an object are distinct.",
  },
  {
    target: "role/password/role_password",
    lineText: "if (text.length > MAX_UNNORMALIZED_LENGTH) return false;",
    changes: [
      ["text.length > MAX_UNNORMALIZED_LENGTH", "text.length >= MAX_UNNORMALIZED_LENGTH"],
      ["text.length > MAX_UNNORMALIZED_LENGTH", "false"],
    ],
    reason: "Only slower: the limit spares normalizing a text that would still be too long.",
  },
];
