import { forEachRight, LETTERS, namesOf, type Rights, toMask } from "../graph/rights.ts";
import { LANGUAGES } from "../mail/languages.ts";

/** A usual set of rights, which a person can choose by its name. */
export interface RightPreset {
  /** By the tags of languages; that of "" is for all others. */
  readonly names: Readonly<Record<string, string>>;
  readonly rights: Rights;
}

const MAX_PRESETS = 12;

/**
 * Parses usual sets of rights, separated by semicolons: `Technician, de:Technik=VDA`. The name without a language is
 * for all others. Returns them the smallest first. Throws a `RangeError` whose message continues "RIGHT_PRESETS …".
 */
export function parseRightPresets(text: string): readonly RightPreset[] {
  const entries = text.split(";").map((entry) => entry.trim()).filter((entry) => entry !== "");
  if (entries.length > MAX_PRESETS) throw new RangeError(`must have at most ${MAX_PRESETS} entries`);
  const presets = entries.map((entry, i) => {
    const [, listed = "", letters = ""] = /^([^=]+)=\s*([A-Z]+)$/.exec(entry) ?? [];
    const [names, rights] = [readNames(listed), readRights(letters)];
    if (names !== undefined && rights !== undefined) return { names, rights };
    throw new RangeError(
      `entry ${i + 1} must be a name, further names by language (de:…), "=" and different letters of ${
        Object.values(LETTERS).join("")
      }`,
    );
  });
  const [byName, byRights] = [
    new Set(presets.map(({ names }) => names[""])),
    new Set(presets.map(({ rights }) => toMask(rights))),
  ];
  if (Math.min(byName.size, byRights.size) < presets.length) {
    throw new RangeError("must not have two entries with the same name or the same rights");
  }
  return presets.toSorted((a, b) => countOf(a) - countOf(b));
}

/** Returns names by language: one without a language, and at most one for each. Otherwise undefined. */
function readNames(text: string): Record<string, string> | undefined {
  const pattern = new RegExp(`^(?:(${LANGUAGES.join("|")}):\\s*)?([^:\\p{Cc}]{1,40})$`, "u");
  const names: Record<string, string> = {};
  for (const part of text.split(",")) {
    const [, tag = "", name = ""] = pattern.exec(part.trim()) ?? [];
    if (name === "" || names[tag] !== undefined) return undefined;
    names[tag] = name;
  }
  return names[""] === undefined ? undefined : names;
}

function readRights(letters: string): Rights | undefined {
  const rights = forEachRight((name) => letters.includes(LETTERS[name]));
  return letters !== "" && countOf({ rights }) === letters.length ? rights : undefined;
}

function countOf({ rights }: Pick<RightPreset, "rights">): number {
  return namesOf(toMask(rights)).length;
}
