import { RIGHT_NAMES } from "../../src/graph/rights.ts";
import { randomInteger } from "../../tests/helpers/random_numbers.ts";
import type { ExpectedRights } from "./expected_rights.ts";
import type { Person } from "./people.ts";

export interface CheckOptions {
  readonly people: readonly Person[];
  readonly expected: ExpectedRights;
  readonly random: () => number;
  /** Roles to ask about, besides those below one's own. */
  readonly roleIds: readonly number[];
  readonly count: number;
  /** Called after each check. */
  readonly onStep?: () => void;
}

export interface Checked {
  readonly count: number;
  readonly allowed: number;
  /** Unexpected responses. */
  readonly wrong: readonly string[];
}

/** A random item of a list. Throws a `RangeError` if it is empty. */
export function oneOf<T>(list: readonly T[], random: () => number): T {
  if (list.length === 0) throw new RangeError("There is nothing to choose from");
  return list[randomInteger(random, list.length)] as T;
}

/** Lets the people check random rights one by one. Half of the roles asked about are below one of their own. */
export async function checkRights(options: CheckOptions): Promise<Checked> {
  const { people, expected, random, roleIds, count, onStep } = options;
  const wrong: string[] = [];
  let allowed = 0;
  for (let n = 0; n < count; n++) {
    const person = oneOf(people, random);
    const bit = randomInteger(random, RIGHT_NAMES.length);
    const own = oneOf(person.roleIds, random);
    const below = [own, ...expected.reachedFrom(own, 1)];
    const roleId = oneOf(randomInteger(random, 2) === 0 ? below : roleIds, random);
    const right = RIGHT_NAMES[bit];
    const body = { checks: [{ roleId, right }] };
    const answer = await person.client.send<{ allowed: boolean[] }>(
      "check a right",
      "POST",
      "/v1/rights/check",
      body,
    );
    const should = (expected.rightsOn(roleId, person.roleIds) & (1 << bit)) !== 0;
    if (should) allowed++;
    if (answer.allowed[0] !== should) wrong.push(`${right} on role ${roleId}: should be ${should}`);
    onStep?.();
  }
  return { count, allowed, wrong };
}

/** Combines several results. */
export function sumChecked(parts: readonly Checked[]): Checked {
  return {
    count: parts.reduce((sum, { count }) => sum + count, 0),
    allowed: parts.reduce((sum, { allowed }) => sum + allowed, 0),
    wrong: parts.flatMap(({ wrong }) => wrong),
  };
}
