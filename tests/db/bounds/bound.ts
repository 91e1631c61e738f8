/**
 * Bounds of statements: rows that one run scans, as a formula of named inputs such as `20 + 3 list + 2 list x few`. A
 * test holds the formulas against what a server reads in worlds that are built to be worst (`statement_bounds_test.ts`).
 */

export interface Input {
  /** A description of what it counts, for readers of the documents. */
  readonly meaning: string;
  /** Its maximum in one run of a statement. Without one, users raise it by storing rows. */
  readonly most?: number;
}

/** Every input that a formula may name. */
export const INPUTS = {
  list: { meaning: "entries of a list in the request", most: 1000 },
  page: { meaning: "rows of a page", most: 1000 },
  few: { meaning: "memberships of the caller, as far as these are few", most: 32 },
  memberships: { meaning: "memberships of the caller" },
  ancestors: { meaning: "roles above a role" },
  shorter: { meaning: "the shorter of the caller's memberships and the roles above a role" },
  steps: {
    meaning: "roles above those that a statement judges (`JUDGING_STEPS`), or above a single one",
    most: 50_000,
  },
  members: { meaning: "members of a role, or rows of a page of them", most: 20_000 },
  devices: { meaning: "devices that a role monitors, or rows of a page of them", most: 5000 },
  namesakes: {
    meaning:
      "roles or devices below all roots that have one of the external ids of a list, as far as these are few",
    most: 10_000,
  },
  monitors: { meaning: "roles that monitor a device", most: 100 },
  keys: { meaning: "keys of a role", most: 100 },
  near: { meaning: "the roles above a role, and its children, as far as they are shown", most: 201 },
  relations: { meaning: "relations that an explanation or a question about the past follows", most: 10_000 },
  reach: { meaning: "roles below those of the caller, by each way", most: 50_000 },
  below: { meaning: "roles below a role" },
  walk: { meaning: "rows that one statement walks in order", most: 20_000 },
  closure: { meaning: "rows of the closure that a change may touch (`CLOSURE_MAX_CHANGE`)", most: 40_000 },
  sessions: { meaning: "open sessions, or open sign-ins, of an account", most: 100 },
  past: { meaning: "rows of an account that the purge has not deleted yet" },
  series: {
    meaning: "series of the devices that one statement is about: 16 devices of 10,000",
    most: 160_000,
  },
  batch: { meaning: "rows of a batch of a job", most: 5000 },
  all: { meaning: "everything that is stored; administrators alone" },
} as const satisfies Readonly<Record<string, Input>>;

export type InputName = keyof typeof INPUTS;

/** A number of rows for each combination of its factors. Without factors it is constant. */
export interface Term {
  readonly rows: number;
  readonly factors: readonly InputName[];
}

/** Reads a formula. Throws a `SyntaxError` that names the wrong part. */
export function parseBound(formula: string): Term[] {
  return formula.split(" + ").map((part) => {
    const [, rows, names] = /^([0-9]+)(?: ([a-z]+(?: x [a-z]+)*))?$/.exec(part) ?? [];
    const factors = names?.split(" x ") ?? [];
    if (rows === undefined || !factors.every(isInput)) {
      throw new SyntaxError(`Cannot read "${part}" of a bound`);
    }
    return { rows: Number(rows), factors };
  });
}

function isInput(name: string): name is InputName {
  return name in INPUTS;
}

export type Sizes = Readonly<Record<InputName, number>>;

/** The number of rows that a formula allows for inputs of these sizes. */
export function evaluateBound(terms: readonly Term[], sizes: Sizes): number {
  return terms.reduce(
    (sum, { rows, factors }) => sum + factors.reduce((product, name) => product * sizes[name], rows),
    0,
  );
}

/** Maximum number of combinations of a product whose work is not charged. */
export const MOST_COMBINATIONS = 100_000;

/** Whether a term multiplies inputs to more rows than a statement may scan. */
export function isRunaway({ factors }: Term): boolean {
  if (factors.length < 2) return false;
  return factors.reduce((product, name) => product * mostOf(name), 1) > MOST_COMBINATIONS;
}

function mostOf(name: InputName): number {
  const { most = Infinity }: Input = INPUTS[name];
  return most;
}

/** The sizes of a world that names only its large ones. */
export function sizesOf(large: Readonly<Partial<Record<InputName, number>>>): Sizes {
  const one = Object.fromEntries(Object.keys(INPUTS).map((name) => [name, 1])) as Record<InputName, number>;
  const { memberships = 1, ancestors = 1, below = 1, list = 1, devices = 1, members = 1 } = large;
  return {
    ...one,
    page: Math.min(Math.max(list, below, devices, members, memberships), INPUTS.page.most),
    few: Math.min(memberships, INPUTS.few.most),
    shorter: Math.min(memberships, ancestors),
    near: Math.min(ancestors + below, INPUTS.near.most),
    steps: Math.min(Math.max(list, below) * ancestors, INPUTS.steps.most),
    reach: Math.min(below + memberships, INPUTS.reach.most),
    namesakes: list,
    walk: INPUTS.walk.most,
    closure: ancestors + below,
    ...large,
  };
}
