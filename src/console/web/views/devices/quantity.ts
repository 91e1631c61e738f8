import { language } from "../../language.ts";

/** Units at the end of the names of fields, after the last "_", as integrations for Home Assistant know them. */
const UNITS: Readonly<Record<string, string>> = {
  W: "W",
  kW: "kW",
  MW: "MW",
  Wh: "Wh",
  kWh: "kWh",
  MWh: "MWh",
  VA: "VA",
  var: "var",
  V: "V",
  A: "A",
  Hz: "Hz",
  C: "°C",
  degC: "°C",
  K: "K",
  Pa: "Pa",
  bar: "bar",
  m3: "m³",
  l: "l",
  s: "s",
  perc: "%",
  pct: "%",
};

/** Writes the values of a field as people of the page's language do. */
export interface Quantity {
  /** With its unit. */
  readonly write: (value: number) => string;
  /** Beside an axis: in steps of `step`, without the unit unless it is a percentage. */
  readonly writeTick: (value: number, step: number) => string;
}

/** Parts of the range that values are told apart by, as a power of ten. */
const PARTS = 3;

/** How to write values that are spread over a range. More digits than it needs would only be noise. */
export function quantityOf(field: string, range: number): Quantity {
  const isFraction = field.endsWith("_frac");
  const unit = isFraction ? "" : unitOf(field);
  const format = (step: number): Intl.NumberFormat =>
    new Intl.NumberFormat(language.value, {
      style: isFraction ? "percent" : "decimal",
      maximumFractionDigits: digitsAfterPoint(isFraction ? step * 100 : step),
      // No "-0".
      signDisplay: "negative",
    });
  const { format: write } = format(range / 10 ** PARTS);
  return {
    write: (value) => unit === "" ? write(value) : `${write(value)} ${unit}`,
    writeTick: (value, step) => format(step).format(value),
  };
}

function unitOf(field: string): string {
  const suffix = field.slice(field.lastIndexOf("_") + 1);
  return suffix !== field && Object.hasOwn(UNITS, suffix) ? UNITS[suffix] ?? "" : "";
}

/** The digits that tell steps of this size apart. */
function digitsAfterPoint(step: number): number {
  return step > 0 ? Math.min(10, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9))) : PARTS;
}
