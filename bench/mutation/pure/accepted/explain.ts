import { type Acceptance, ANY_ENTRY } from "./acceptance.ts";

export const OF_EXPLAIN: readonly Acceptance[] = [
  {
    target: "explain/why/explanation",
    lineText: "if (name === undefined || !sees(relation, view)) return HIDDEN;",
    changes: [["name === undefined", "false"]],
    reason: "A relation that is seen leads to a role with a name. The condition tells the type checker.",
  },
  {
    target: "explain/why/ways",
    lineText: "node = { entering: [], leaving: [], open: Infinity, blocked: Infinity };",
    changes: [["[]", ANY_ENTRY]],
    reason: "Of what leaves a role only its child is used, and nothing waits for the child of a text.",
  },
  {
    target: "explain/why/ways",
    lineText: "if (trails.length > MAX_WAYS) trails.shift();",
    changes: [["trails.length > MAX_WAYS", "false"]],
    reason: "Only slower: trails that are worse than as many as there are ways lead to none that is shown.",
  },
];
