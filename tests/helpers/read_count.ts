/** A positive whole number from the environment, or the default. */
export function readCount(name: string, otherwise: number): number {
  const text = Deno.env.get(name);
  if (text === undefined || text === "") return otherwise;
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new RangeError(`${name} must be a whole number of at least 1, not "${text}"`);
  }
  return count;
}

/** How many random sequences of operations a property tries: `ROLEGRID_SEQUENCES`. `deno task test:long` has more. */
export const SEQUENCES: number = readCount("ROLEGRID_SEQUENCES", 20);

/** Whether the run tries so many that other repetitions should be many, too. */
export const IS_LONG: boolean = SEQUENCES >= 100;
