import type { Database } from "../../db/database.ts";
import { bind } from "../../db/statement.ts";
import { BYTES_OF_ROOT, MOST_BYTES } from "./count_queries.ts";

/** See `TelemetryStore.countedBytes`. */
export async function readCountedBytes(points: Database, rootId?: number): Promise<number> {
  const [row] = await points.read(
    rootId === undefined ? bind(MOST_BYTES, {}) : bind(BYTES_OF_ROOT, { rootId }),
  );
  return row?.bytes ?? 0;
}
