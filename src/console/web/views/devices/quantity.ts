import { isolate, locale } from "../../language.ts";
import type { Series } from "./series.ts";

/** Units that are suffixes of fields' names after the last "_", as integrations for Home Assistant use them. */
const SUFFIXES = [
  "W",
  "kW",
  "MW",
  "Wh",
  "kWh",
  "MWh",
  "VA",
  "var",
  "V",
  "A",
  "Hz",
  "K",
  "Pa",
  "bar",
  "l",
  "s",
];
/** Units by such suffixes. */
const UNITS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(SUFFIXES.map((unit) => [unit, unit])),
  C: "°C",
  degC: "°C",
  m3: "m³",
  perc: "%",
  pct: "%",
};

const KNOWN = new Set(Object.values(UNITS));

/** Formats values of a unit for the page's language. */
export interface Quantity {
  /** Empty if unknown. */
  readonly unit: string;
  /** With its unit. */
  readonly write: (value: number) => string;
  /** Beside an axis: in steps of `step`, without the unit unless it is a percentage. */
  readonly writeTick: (value: number, step: number) => string;
}

/** The resolution of values within their range, as a power of ten. */
const PARTS = 2;
/** The unit of fractions, which are shown as percentages. */
const FRACTION = "frac";

/** Returns the unit of a series: that in the device's properties, or else by the field's suffix; "" if unknown. */
export function unitOf({ field, unit }: Pick<Series, "field" | "unit">): string {
  if (unit !== undefined) return unit;
  const suffix = field.slice(field.lastIndexOf("_") + 1);
  if (suffix === field) return "";
  return suffix === FRACTION ? suffix : Object.hasOwn(UNITS, suffix) ? UNITS[suffix] ?? "" : "";
}

/** Returns the format of values spread over a range, without needless digits. The unit is that of `unitOf`. */
export function quantityOf(unit: string, range: number): Quantity {
  const isFraction = unit === FRACTION;
  const shown = KNOWN.has(unit) ? unit : isolate(unit);
  const format = (digits: number): Intl.NumberFormat =>
    new Intl.NumberFormat(locale.value, {
      style: isFraction ? "percent" : "decimal",
      maximumFractionDigits: digits,
      // No "-0".
      signDisplay: "negative",
    });
  const times = isFraction ? 100 : 1;
  const { format: write } = format(digitsAfterPoint(range * times / 10 ** PARTS));
  return {
    unit: isFraction ? "%" : unit,
    write: (value) => unit === "" || isFraction ? write(value) : `${write(value)}\u00a0${shown}`,
    writeTick: (value, step) => format(digitsOf(step * times)).format(value),
  };
}

/** Returns the digits that distinguish steps of this size. */
function digitsAfterPoint(step: number): number {
  return step > 0 ? Math.min(10, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9))) : PARTS;
}

/** Returns the digits after the point of a step: 2 of 0.25. */
function digitsOf(step: number): number {
  const digits = digitsAfterPoint(step);
  const shifted = step * 10 ** digits;
  return Math.abs(shifted - Math.round(shifted)) < 1e-6 ? digits : digits + 1;
}
