import { EXAMPLE_NAMES } from "../http/openapi/example_values.ts";
import type { OperationExample } from "../http/openapi/openapi_examples.ts";

const tags = { nodeId: EXAMPLE_NAMES.nodeId };

export const TELEMETRY_EXAMPLES = {
  collectTelemetry: {
    request: {
      body: [
        {
          select: [{ field: "power", function: "mean" }],
          from: { measurement: "energy", database: "plant" },
          where: { tags, time: [{ operator: ">=", value: "2026-01-01T00:00:00Z" }] },
          groupBy: { time: "15m" },
        },
        {
          select: ["power"],
          from: { measurement: "energy", database: "plant" },
          where: { tags: { nodeId: "a device of somebody else" } },
        },
      ],
    },
    response: [
      {
        statement_id: 0,
        series: [{
          name: "energy",
          tags,
          columns: ["time", "mean_power"],
          values: [["2026-01-01T00:00:00Z", 1.5]],
        }],
      },
      { statement_id: 1, error: "Unauthorized" },
    ],
  },
  writeTelemetry: {
    request: {
      query: { db: "plant" },
      body: [{
        measurement: "energy",
        time: "2026-01-01T00:15:00Z",
        tags,
        fields: { power: 1.7, mode: "eco", heating: true },
      }],
    },
  },
} as const satisfies Readonly<Record<string, OperationExample>>;
