import { useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import type { EndedDevice } from "../../ended_devices.ts";
import { find, findBest, type Found, type Kind, KINDS, loadFormer } from "../../find.ts";
import { Problem, toProblem } from "../../problem.ts";
import { useLoad } from "../../use_load.ts";
import type { Page } from "../../use_pages.ts";

/** Hits of each kind that are shown at first, and that each further "more" loads. */
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
  /** The kinds of which all that is loaded is shown. */
  readonly whole: readonly Kind[];
  /** The first hits, before these. */
  readonly after: Found;
  readonly found: Found;
  readonly isLoading: boolean;
  readonly problem: Problem | undefined;
}

/** Finds what is called like a text; nothing for an empty one. */
export function useFound(text: string): Search {
  const former = useRef<Promise<Page<EndedDevice>> | undefined>(undefined);
  const { data, problem } = useLoad(`find ${text}`, async (signal) => {
    if (text === "") return { text, first: NOTHING };
    former.current ??= loadFormer().catch((error) => {
      former.current = undefined;
      throw error;
    });
    return { text, first: await findBest(text, [...KINDS], signal, former.current) };
  });
  const rest = useSignal<Rest | undefined>(undefined);
  const following = rest.value?.after === data?.first ? rest.value : undefined;
  const found = following?.found ?? data?.first ?? NOTHING;
  const whole = following?.whole ?? [];
  const shown = useMemo(() => shorten(found, whole), [found, whole.length]);
  const more = async (kind: Kind): Promise<void> => {
    if (data === undefined || following?.isLoading) return;
    const all = [...whole, kind];
    const begun = { after: data.first, found, whole: all, isLoading: true, problem: undefined };
    const cursor = found.nextCursor[kind];
    if (cursor === null || (!whole.includes(kind) && found[kind].length > FIRST)) {
      rest.value = { ...begun, isLoading: false };
      return;
    }
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
  return { text: data?.text, found: shown, problem: problem ?? following?.problem, more };
}

/** Leaves out all but the first hits, of kinds that are not to be shown whole. */
function shorten(found: Found, whole: readonly Kind[]): Found {
  const isShort = (kind: Kind): boolean => found[kind].length <= FIRST || whole.includes(kind);
  const first = <T>(kind: Kind, hits: readonly T[]): T[] => isShort(kind) ? [...hits] : hits.slice(0, FIRST);
  return {
    ...found,
    role: first("role", found.role),
    person: first("person", found.person),
    device: first("device", found.device),
    nextCursor: {
      role: isShort("role") ? found.nextCursor.role : "",
      person: isShort("person") ? found.nextCursor.person : "",
      device: isShort("device") ? found.nextCursor.device : "",
    },
  };
}

/** Adds further hits of a kind. */
function join(found: Found, next: Found, kind: Kind): Found {
  return {
    ...found,
    role: [...found.role, ...next.role.filter(({ id }) => found.role.every((each) => each.id !== id))],
    person: [...found.person, ...next.person],
    device: [...found.device, ...next.device],
    matched: found.matched,
    nextCursor: { ...found.nextCursor, [kind]: next.nextCursor[kind] },
  };
}
