import type { Actor } from "../../core/actor.ts";
import { AppError } from "../../core/errors.ts";
import { parseJson } from "../../core/json.ts";
import { readRevised } from "../../db/revisions.ts";
import { bind } from "../../db/statement.ts";
import { toJson } from "../../graph/paging/page_service.ts";
import { type TextPart, textPart } from "../name_prefix.ts";
import { FIND_ANYWHERE, FIND_BEGINNING, type FindRow, JUDGED_ROWS } from "./find_queries.ts";
import { type Kind, KINDS } from "./kinds.ts";
import type { GraphDeps } from "../../graph/deps.ts";

/** Maximum number of statements of each kind. What is not searched by then is left to the next page. */
const MAX_STATEMENTS = 2;

/** Texts of up to this many digits may be ids. */
const ID_DIGITS = /^[0-9]{1,15}$/;

export interface NamedRole {
  readonly id: number;
  readonly name: string;
}

export interface FoundRole extends NamedRole {
  readonly parents: NamedRole[];
}

export interface FoundPerson {
  readonly userId: number;
  readonly userEmail: string;
  readonly roles: NamedRole[];
}

export interface FoundDevice {
  readonly id: number;
  readonly nodeId: string;
  /** The property `name`, if it is a text. */
  readonly name?: string;
  readonly roles: NamedRole[];
}

export interface Found {
  readonly role: FoundRole[];
  readonly person: FoundPerson[];
  readonly device: FoundDevice[];
  readonly matched: "anywhere" | "beginning";
  /** For each kind the place after which its next page begins, or null at the end. */
  readonly nextCursor: Readonly<Record<Kind, string | null>>;
}

export interface Search {
  readonly text: string;
  /** By default all. */
  readonly kinds?: readonly Kind[] | undefined;
  /** Maximum number of hits of each kind. */
  readonly limit: number;
  /** `nextCursor` of the one kind. */
  readonly cursor?: string | undefined;
}

/** The hits of each kind as the statements return them. */
interface Hits {
  readonly role: FoundRole;
  readonly person: Omit<FoundPerson, "userId"> & { readonly id: number };
  readonly device: Omit<FoundDevice, "name"> & { readonly name: string | null };
}

interface HitPage<K extends Kind> {
  readonly hits: Hits[K][];
  readonly next: string | null;
}

interface StretchOfHits<K extends Kind> {
  /** In no promised order. */
  readonly hits: Hits[K][];
  /** See `FindRow`. */
  readonly walkedTo: number | null;
}

interface Place {
  readonly afterId: number;
  readonly limit: number;
  readonly asId: number | null;
}

/** Returns what the actor may find by a text. Throws `TOKEN_INVALID` if their session has ended. */
export async function find(
  deps: GraphDeps,
  actor: Actor,
  { text, kinds = KINDS, limit, cursor }: Search,
): Promise<Found> {
  const part = textPart(text);
  const asId = ID_DIGITS.test(text) ? Number(text) : null;
  const place = { afterId: cursor === undefined ? -1 : Number(cursor), limit, asId };
  async function findKind<K extends Kind>(kind: K, place: Place): Promise<HitPage<K>> {
    return kinds.includes(kind) ? await findHits(deps, actor, kind, part, place) : { hits: [], next: null };
  }
  const [role, person, device] = await Promise.all([
    findKind("role", place),
    findKind("person", { ...place, asId: null }),
    findKind("device", place),
  ]);
  return {
    role: role.hits,
    person: person.hits.map(({ id, userEmail, roles }) => ({ userId: id, userEmail, roles })),
    device: device.hits.map(({ name, ...hit }) => ({ ...hit, ...(name === null ? {} : { name }) })),
    matched: part.trigrams === null ? "beginning" : "anywhere",
    nextCursor: { role: role.next, person: person.next, device: device.next },
  };
}

/** Reads stretch by stretch, until the page is full, all is searched, or the statements are used up. */
async function findHits<K extends Kind>(
  deps: GraphDeps,
  actor: Actor,
  kind: K,
  part: TextPart,
  { afterId, limit, asId }: Place,
): Promise<HitPage<K>> {
  let walkedTo: number | null = afterId;
  const hits: Hits[K][] = [];
  // One hit more than fits tells whether there are more.
  for (let i = 0; i < MAX_STATEMENTS && walkedTo !== null && hits.length <= limit; i++) {
    const page: Place = { afterId: walkedTo, limit: limit + 1, asId };
    const read: StretchOfHits<K> = await readHits(deps, actor, kind, part, page);
    hits.push(...read.hits);
    walkedTo = read.walkedTo;
  }
  const rank = (id: number): number => id === asId ? 0 : 1;
  const shown = hits.toSorted((a, b) => rank(a.id) - rank(b.id) || a.id - b.id).slice(0, limit);
  if (hits.length > limit) {
    // A page that has but the one with that id goes on before all others.
    const last = shown.findLast(({ id }) => id !== asId);
    walkedTo = last?.id ?? Math.max(0, afterId);
  }
  return { hits: shown, next: walkedTo === null ? null : String(walkedTo) };
}

async function readHits<K extends Kind>(
  deps: GraphDeps,
  actor: Actor,
  kind: K,
  { trigrams, parts, patterns }: TextPart,
  place: Place,
): Promise<StretchOfHits<K>> {
  const args = {
    now: deps.clock(),
    actorId: actor.userId,
    sessionId: actor.sessionId,
    parts: toJson(parts),
    patterns: toJson(patterns),
    judged: drawJudged(),
    ...place,
  };
  const [row] = await readRevised<FindRow>(
    deps.database,
    trigrams === null ? bind(FIND_BEGINNING[kind], args) : bind(FIND_ANYWHERE[kind], { ...args, trigrams }),
  );
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  return { hits: parseJson(row.hits) as Hits[K][], walkedTo: row.walkedTo };
}

/**
 * Returns how many rows a statement judges. Where it stops tells a caller who reaches many roles that more rows match, also
 * hidden ones; drawn anew each time, it does not tell of single ones.
 */
function drawJudged(): number {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return JUDGED_ROWS - drawn % (JUDGED_ROWS / 2);
}
