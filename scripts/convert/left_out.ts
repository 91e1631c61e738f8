import { toPlainText } from "../lib/output.ts";

const MAX_NAMED = 5;
const MAX_NAME_LENGTH = 80;

/** What a conversion leaves out, by kind, with names. Must get no secrets. */
export class LeftOut {
  readonly #names = new Map<string, string[]>();

  /** Adds one thing of a kind. */
  add(kind: string, name: string): void {
    const names = this.#names.get(kind);
    const shown = toPlainText(name);
    if (names === undefined) this.#names.set(kind, [shown]);
    else names.push(shown);
  }

  /** Returns a line for each kind: how many there are, and the first of them. */
  summary(): string[] {
    return Array.from(this.#names, ([kind, names]) => {
      const first = names.slice(0, MAX_NAMED).map((name) => {
        return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
      });
      return `${toPlainText(kind)}: ${names.length} (${first.join(", ")}${
        names.length > MAX_NAMED ? ", …" : ""
      })`;
    });
  }

  /** Returns everything, a line each. */
  full(): string[] {
    return Array.from(this.#names, ([kind, names]) => names.map((name) => `${toPlainText(kind)}: ${name}`))
      .flat();
  }
}
