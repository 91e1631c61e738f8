import type { Line, Measured } from "./measured.ts";
import { unitOf } from "./quantity.ts";
import type { Series } from "./series.ts";
import { sumUp, type Window } from "./windows.ts";

/** The lines of a plot, which have the same unit. */
export interface LineGroup {
  readonly key: string;
  readonly lines: readonly Line[];
}

/** Maximum number of lines of a plot, which each look different. */
export const MOST_LINES = 6;

/** Maximum number of lines of a page: a series may have any number of tag sets. */
export const MOST_OF_PAGE = 36;

/** Returns what is drawn, in plots by unit, or each line on its own. */
export function groupLines(measured: readonly Measured[], isEach: boolean): LineGroup[] {
  const lines = listLines(measured).slice(0, MOST_OF_PAGE);
  const groups = new Map<string, Line[]>();
  for (const line of lines) {
    // Values without a unit may be of anything.
    const shared = line.unit === "" ? line.key : `unit ${line.unit}`;
    for (let part = 1;; part++) {
      const key = isEach ? line.key : `${shared} ${part}`;
      const group = groups.get(key) ?? [];
      if (group.length >= MOST_LINES) continue;
      groups.set(key, [...group, line]);
      break;
    }
  }
  return Array.from(groups, ([key, lines]) => ({ key, lines }));
}

function listLines(measured: readonly Measured[]): Line[] {
  const found = measured.flatMap(({ series, window, sets }) =>
    sets.map(({ tags, windows, latest }) => {
      const about = Object.entries(tags).map(([tag, value]) => `${tag} = ${value}`);
      return { series, about, tags, windows, window, latest };
    })
  );
  const titleOf = ({ series, about }: typeof found[number]): string => JSON.stringify([series.name, about]);
  const titles = Map.groupBy(found, titleOf);
  return found.map((line) => {
    const { series, about, tags, ...rest } = line;
    const isAlone = titles.get(titleOf(line))?.length === 1;
    return {
      ...rest,
      key: JSON.stringify([series, tags]),
      name: series.name,
      about: [...isAlone ? [] : placeOf(series), ...about].join(" · "),
      unit: unitOf(series),
    };
  });
}

/** Returns the names of the place of a series' values. */
function placeOf({ field, measurement, database, retentionPolicy }: Series): string[] {
  return [field, measurement, database, ...retentionPolicy === undefined ? [] : [retentionPolicy]];
}

/** Returns the name of a line within plain text, with what tells it apart. */
export function nameOfLine({ name, about }: Pick<Line, "name" | "about">): string {
  return about === "" ? name : `${name} (${about})`;
}

/** Returns the summary of a line's windows, and the range of its values; for equal ones, their size. */
export function describeLine(
  { windows }: Pick<Line, "windows">,
): { summary: Omit<Window, "time"> | undefined; range: number } {
  const summary = sumUp(windows);
  if (summary === undefined) return { summary, range: 0 };
  const { min, max } = summary;
  return { summary, range: max > min ? max - min : Math.abs(max) };
}
