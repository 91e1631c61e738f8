import { useSignal } from "@preact/signals";
import { find, type Found, type Kind } from "../../find.ts";
import { Problem, toProblem } from "../../problem.ts";
import { useLoad } from "../../use_load.ts";

/** Hits of each kind at first, and with each "more". */
const FIRST = 5;
const MORE = 20;

const NOTHING: Found = {
  role: [],
  person: [],
  device: [],
  matched: "anywhere",
  nextCursor: { role: null, person: null, device: null },
};

/** What a search has found so far. */
export interface Search {
  /** The text that it was found for; undefined until something is loaded. */
  readonly text: string | undefined;
  readonly found: Found;
  readonly problem: Problem | undefined;
  /** Loads further hits of a kind. */
  more(kind: Kind): Promise<void>;
}

interface Rest {
  /** The first hits, before these. */
  readonly after: Found;
  readonly found: Found;
  readonly isLoading: boolean;
  readonly problem: Problem | undefined;
}

/** Finds what is called like a text; nothing for an empty one. */
export function useFound(text: string): Search {
  const { state } = useLoad(`find ${text}`, async (signal) => ({
    text,
    first: text === "" ? NOTHING : await find({ text, limit: FIRST }, signal),
  }));
  const rest = useSignal<Rest | undefined>(undefined);
  const { data, problem } = state.value;
  const following = rest.value?.after === data?.first ? rest.value : undefined;
  const found = following?.found ?? data?.first ?? NOTHING;
  const more = async (kind: Kind): Promise<void> => {
    const cursor = found.nextCursor[kind];
    if (data === undefined || cursor === null || following?.isLoading) return;
    const begun = { after: data.first, found, isLoading: true, problem: undefined };
    rest.value = begun;
    const asked = { text: data.text, kind: [kind], limit: MORE, cursor };
    const next = await find(asked, new AbortController().signal).catch(toProblem);
    if (rest.value !== begun) return;
    rest.value = {
      ...begun,
      isLoading: false,
      ...next instanceof Problem ? { problem: next } : { found: join(found, next, kind) },
    };
  };
  return { text: data?.text, found, problem: problem ?? following?.problem, more };
}

/** Adds further hits of a kind. */
function join(found: Found, next: Found, kind: Kind): Found {
  return {
    ...found,
    [kind]: [...found[kind], ...next[kind]],
    nextCursor: { ...found.nextCursor, [kind]: next.nextCursor[kind] },
  };
}
