/** Counts the rows that a server scans for each statement. The server returns the number with each result. */

/** A statement that ran once. */
export interface Ran {
  readonly sql: string;
  /**
   * Rows scanned of tables, indexes, CTEs and JSON lists. A search without a result counts as none, but the row that it
   * is made for counts, so a product of two lists shows.
   */
  readonly rows: number;
}

export interface RowsRecorder {
  /** Replaces `fetch`, and reaches the server. */
  readonly fetch: typeof fetch;
  /** The statements that ran since the last call of this function. */
  take(): Ran[];
}

interface WireStatement {
  readonly sql?: string;
  readonly sql_id?: number;
}

interface WireRequest {
  readonly type: string;
  readonly sql?: string;
  readonly sql_id?: number;
  readonly stmt?: WireStatement;
  readonly batch?: { readonly steps: readonly { readonly stmt: WireStatement }[] };
}

interface WireRows {
  readonly rows_read?: number;
}

interface WireResult {
  readonly type: string;
  readonly response?: {
    readonly result?: WireRows & { readonly step_results?: readonly (WireRows | null)[] };
  };
}

/** Calls after which a request fails: a listing that walks many ids runs the same statement again and again. */
const MAX_CALLS = 8;

export function recordRows(): RowsRecorder {
  let ran: Ran[] = [];
  let calls = 0;
  return {
    async fetch(input, init): Promise<Response> {
      if (++calls > MAX_CALLS) throw new TypeError("Enough was recorded of this request");
      const response = await fetch(input, init);
      const text = await response.text();
      if (response.ok) ran.push(...readRan(String(init?.body), text));
      return new Response(text, { status: response.status, headers: response.headers });
    },
    take(): Ran[] {
      const taken = ran;
      ran = [];
      calls = 0;
      return taken;
    },
  };
}

function readRan(request: string, response: string): Ran[] {
  const { requests }: { requests: WireRequest[] } = JSON.parse(request);
  const { results }: { results: WireResult[] } = JSON.parse(response);
  const texts = new Map(
    requests.flatMap(({ type, sql = "", sql_id }) => type === "store_sql" ? [[sql_id, sql] as const] : []),
  );
  const textOf = ({ sql, sql_id }: WireStatement): string => sql ?? texts.get(sql_id) ?? "";
  return requests.flatMap(({ stmt, batch }, index) => {
    const result = results[index]?.response?.result;
    if (stmt !== undefined) return result === undefined ? [] : [{ sql: textOf(stmt), rows: rowsOf(result) }];
    return (batch?.steps ?? []).flatMap(({ stmt }, step) => {
      const rows = result?.step_results?.[step];
      return rows === undefined || rows === null ? [] : [{ sql: textOf(stmt), rows: rowsOf(rows) }];
    });
  });
}

function rowsOf({ rows_read: rows }: WireRows): number {
  if (rows === undefined) throw new TypeError("The database server does not say how many rows it read");
  return rows;
}
