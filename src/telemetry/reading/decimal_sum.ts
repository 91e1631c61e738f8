/** Digits of an integer that is added at once; 90,000 of them fit into a double. */
const DIGITS = 11;
/** Decimals of such an integer: further ones, and negative ones, are rare. */
const DECIMALS = 24;

const [MINUS, DOT, ZERO, NINE] = [45, 46, 48, 57];

/** Powers of ten that were needed so far: a double has up to 324 decimals, or 309 digits before them. */
const TENS: bigint[] = [];

function powerOfTen(exponent: number): bigint {
  return TENS[exponent] ??= 10n ** BigInt(exponent);
}

/** The exact sum of numbers as they are written, in decimals. It is rounded once, so that their order does not count. */
export class DecimalSum {
  /** By the number of decimals, each an integer. */
  #sums: number[] = [];
  /** What does not fit into these, as an integer, and its decimals. */
  #large = 0n;
  #largeDecimals = 0;

  /** Adds a number as JSON, or a sum as text. */
  add(text: string): void {
    const begin = text.charCodeAt(0) === MINUS ? 1 : 0;
    let [high, low, digits, decimals] = [0, 0, 0, 0];
    let hasPoint = false;
    for (let i = begin; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code >= ZERO && code <= NINE) {
        if (++digits <= DIGITS) high = high * 10 + (code - ZERO);
        else low = low * 10 + (code - ZERO);
        if (hasPoint) decimals++;
      } else if (code === DOT) hasPoint = true;
      else {
        decimals -= Number(text.slice(i + 1));
        break;
      }
    }
    if (digits > 2 * DIGITS) {
      this.#addLarge(BigInt(/^[^e]*/.exec(text)?.[0].replace(".", "") ?? ""), decimals);
      return;
    }
    this.#addInteger(begin === 1 ? -high : high, decimals - Math.max(0, digits - DIGITS));
    if (low !== 0) this.#addInteger(begin === 1 ? -low : low, decimals);
  }

  #addInteger(number: number, decimals: number): void {
    if (decimals < 0 || decimals > DECIMALS) return this.#addLarge(BigInt(number), decimals);
    const sum = (this.#sums[decimals] ?? 0) + number;
    if (Number.isSafeInteger(sum)) this.#sums[decimals] = sum;
    else {
      this.#addLarge(BigInt(this.#sums[decimals] ?? 0), decimals);
      this.#sums[decimals] = number;
    }
  }

  #addLarge(number: bigint, decimals: number): void {
    if (decimals > this.#largeDecimals) {
      this.#large *= powerOfTen(decimals - this.#largeDecimals);
      this.#largeDecimals = decimals;
    }
    this.#large += number * powerOfTen(this.#largeDecimals - decimals);
  }

  /** Returns the exact sum: an integer, and an exponent if it has decimals. */
  toString(): string {
    for (const [decimals, sum = 0] of this.#sums.entries()) {
      if (sum !== 0) this.#addLarge(BigInt(sum), decimals);
    }
    this.#sums = [];
    return `${this.#large}${this.#largeDecimals === 0 ? "" : `e-${this.#largeDecimals}`}`;
  }

  /** Returns the nearest double, or an infinity. */
  round(): number {
    return Number(this.toString());
  }
}
