import { randomInteger } from "../../tests/helpers/random_numbers.ts";
import type { Draft } from "./exchange.ts";

const WRITTEN_POINTS = 10;
const QUERIED_STEPS = 100;
/** Points are overwritten within one day, so that the database does not grow. */
const DAY_STEPS = 1440;
const START_MS = Date.UTC(2026, 0, 1);
const STEP_MS = 60_000;

/** Writes and reads the points of a device. */
export class DeviceRequests {
  readonly #nodeId: string;
  readonly #random: () => number;
  #step = 0;

  constructor(nodeId: string, random: () => number) {
    this.#nodeId = nodeId;
    this.#random = random;
  }

  writePoints(): Draft {
    const lines = Array.from({ length: WRITTEN_POINTS }, () => {
      const time = START_MS + (this.#step++ % DAY_STEPS) * STEP_MS;
      return `energy,nodeId=${this.#nodeId} power=${randomInteger(this.#random, 5000) / 1000} ${time}`;
    });
    const path = "/v1/telemetry?db=load&precision=ms";
    return { kind: "telemetry write", method: "POST", path, type: "text/plain", body: lines.join("\n") };
  }

  queryPoints(): Draft {
    const from = START_MS + randomInteger(this.#random, DAY_STEPS - QUERIED_STEPS) * STEP_MS;
    const body = JSON.stringify([{
      select: ["power"],
      from: { measurement: "energy", database: "load" },
      where: {
        tags: { nodeId: this.#nodeId },
        time: [{ operator: ">=", value: from }, { operator: "<", value: from + QUERIED_STEPS * STEP_MS }],
      },
    }]);
    // A failed query has its error in a response with status 200.
    const isWrong = (answer: string): boolean => answer.includes('"error"');
    return { kind: "telemetry query", method: "POST", path: "/v1/telemetry/query", body, isWrong };
  }
}
