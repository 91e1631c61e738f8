import { language } from "../../language.ts";

/** Units by the suffix of a field's name after the last "_", as integrations for Home Assistant use them. */
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

/** Formats values of a field for the page's language. */
export interface Quantity {
  /** With its unit. */
  readonly write: (value: number) => string;
  /** Beside an axis: in steps of `step`, without the unit unless it is a percentage. */
  readonly writeTick: (value: number, step: number) => string;
}

/** The resolution of values within their range, as a power of ten. */
const PARTS = 3;

/** Returns the format of values spread over a range, without needless digits. */
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

/** Returns the digits that distinguish steps of this size. */
function digitsAfterPoint(step: number): number {
  return step > 0 ? Math.min(10, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9))) : PARTS;
}
