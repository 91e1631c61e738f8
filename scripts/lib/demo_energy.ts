/** Plausible energy data of a house: its consumption, the yield of its panels, and its battery. */

/** One step of a site, in kilowatts and percent. */
export interface EnergyStep {
  /** Milliseconds. */
  readonly time: number;
  /** Consumption of the house. */
  readonly load: number;
  /** Yield of the panels. */
  readonly solar: number;
  /** Power of the battery; above 0 while charging. */
  readonly battery: number;
  /** State of charge. */
  readonly charge: number;
}

export interface EnergySite {
  /** Peak power of the panels, kW. */
  readonly peak: number;
  /** Capacity of the battery, kWh. */
  readonly capacity: number;
  /** Average power used, kW. */
  readonly meanLoad: number;
  /** Determines the weather and habits of the site. */
  readonly seed: number;
}

const STEP_MS = 15 * 60_000;
const DAY_MS = 86_400_000;
const HOURS_PER_STEP = STEP_MS / 3_600_000;
/** A battery charges and discharges at most half its capacity per hour, and keeps at least a tenth. */
const BATTERY_RATE = 0.5;
const BATTERY_FLOOR = 0.1;
/** Share of the yield after losses to heat, angle and wiring. */
const SOLAR_EFFICIENCY = 0.82;
const LATITUDE = (52 * Math.PI) / 180;

/** Yields a year of a site in steps of 15 minutes, up to `end` (milliseconds since the Unix epoch). Deterministic. */
export function* energyYear(site: EnergySite, end: number): Generator<EnergyStep> {
  const random = createRandom(site.seed);
  const last = Math.floor(end / STEP_MS) * STEP_MS;
  let stored = site.capacity / 2;
  let clouds = 0.5;
  for (let time = last - 365 * DAY_MS + STEP_MS; time <= last; time += STEP_MS) {
    clouds = clamp(clouds + (random() - 0.5) * 0.12 + (0.45 - clouds) * 0.01, 0, 1);
    const solar = site.peak * SOLAR_EFFICIENCY * sunHeight(time) * (1 - 0.8 * clouds);
    const load = site.meanLoad * habits(time) * (0.7 + 0.6 * random());
    const wanted = clamp(solar - load, -BATTERY_RATE * site.capacity, BATTERY_RATE * site.capacity);
    const room = (wanted > 0 ? site.capacity - stored : stored - BATTERY_FLOOR * site.capacity) /
      HOURS_PER_STEP;
    const battery = Math.sign(wanted) * Math.min(Math.abs(wanted), Math.max(0, room));
    stored += battery * HOURS_PER_STEP;
    yield {
      time,
      load: round(load),
      solar: round(solar),
      battery: round(battery),
      charge: round((100 * stored) / site.capacity),
    };
  }
}

/** Returns the sine of the sun's elevation in the Netherlands, 0 at night; assumes solar noon at 12:00 UTC. */
function sunHeight(time: number): number {
  const day = (time / DAY_MS) % 365.25;
  const declination = -0.409 * Math.cos((2 * Math.PI * (day + 10)) / 365.25);
  const hourAngle = 2 * Math.PI * ((time % DAY_MS) / DAY_MS - 0.5);
  const sine = Math.sin(LATITUDE) * Math.sin(declination) +
    Math.cos(LATITUDE) * Math.cos(declination) * Math.cos(hourAngle);
  return Math.max(0, sine);
}

/**
 * Returns relative consumption by time of day and year, 1 on average: low at night, an evening peak, more in winter.
 */
function habits(time: number): number {
  const hour = (time % DAY_MS) / 3_600_000;
  const winter = 1 + 0.25 * Math.cos((2 * Math.PI * ((time / DAY_MS) % 365.25)) / 365.25);
  return winter *
    (0.45 + 0.6 * peakAt(hour, 7.5, 1.2) + 1.9 * peakAt(hour, 19, 2.2) + 0.35 * peakAt(hour, 13, 2));
}

function peakAt(hour: number, center: number, width: number): number {
  return Math.exp(-(((hour - center) / width) ** 2));
}

/** Creates a small seeded random generator (linear congruential, constants of Numerical Recipes): 0 <= x < 1. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
