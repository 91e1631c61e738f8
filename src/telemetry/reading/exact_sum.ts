/** From here on, two doubles may add up to more than a double holds. All of them are whole numbers. */
const LARGE = 2 ** 960;

/** A whole number with more digits than those below `LARGE`. */
const LARGE_DIGITS = /^-?\d{289,}$/;

/**
 * The exact sum of doubles, whatever their order and grouping: it is rounded once, at the end. The method is
 * Shewchuk's ("Adaptive Precision Floating-Point Arithmetic", 1997): the sum is kept as doubles of which none overlaps
 * another, mostly one to three.
 */
export class ExactSum {
  /** Of ascending size. */
  #parts: number[] = [];
  /** The sum of values from `LARGE` on. */
  #large = 0n;

  /** Adds a finite number. */
  add(value: number): void {
    if (Math.abs(value) >= LARGE) {
      this.#large += BigInt(value);
      return;
    }
    const parts = this.#parts;
    let kept = 0;
    let rest = value;
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i] as number;
      const sum = rest + part;
      const error = Math.abs(rest) < Math.abs(part) ? rest - (sum - part) : part - (sum - rest);
      if (error !== 0) parts[kept++] = error;
      rest = sum;
    }
    parts[kept++] = rest;
    if (parts.length > kept) parts.length = kept;
  }

  /** Adds another sum, as `toString` returns it. */
  addText(text: string): void {
    for (const part of text.split(",")) {
      if (LARGE_DIGITS.test(part)) this.#large += BigInt(part);
      else this.add(Number(part));
    }
  }

  /** Returns the exact sum as numbers separated by commas. */
  toString(): string {
    const parts = this.#parts.map(String);
    if (this.#large !== 0n) parts.push(String(this.#large));
    return parts.length === 0 ? "0" : parts.join(",");
  }

  /** Returns the nearest double, or an infinity. */
  round(): number {
    const small = roundParts(this.#parts);
    return this.#large === 0n ? small : Number(this.#large + BigInt(Math.trunc(small)));
  }
}

function roundParts(parts: readonly number[]): number {
  let sum = parts.at(-1) ?? 0;
  for (let i = parts.length - 2; i >= 0; i--) {
    const part = parts[i] as number;
    const before = sum;
    sum = before + part;
    const error = part - (sum - before);
    if (error === 0) continue;
    // The sum was rounded. If it lay halfway between two doubles, the parts that remain say which one is nearer.
    const next = parts[i - 1] ?? 0;
    const beyond = sum + 2 * error;
    return Math.sign(next) === Math.sign(error) && 2 * error === beyond - sum ? beyond : sum;
  }
  return sum;
}
