import type * as OpenTelemetry from "@opentelemetry/api";
import { AppError } from "../core/errors.ts";
import type { Database, Row } from "./database.ts";
import type { BoundStatement } from "./statement.ts";

/** The attributes of a span: names and counts, never a value that was bound or read. */
export type SpanFacts = Readonly<Record<string, string | number>>;

export interface DatabaseTracing {
  readonly api: Pick<typeof OpenTelemetry, "trace" | "SpanKind" | "SpanStatusCode">;
  /** Describes a write by the rows of its last statement that returned any, with public facts only. */
  readonly describeWrite: (lastRows: readonly Row[]) => SpanFacts;
}

/**
 * Returns the database with a span for each call inside a trace. A span has the operation, the number of statements and
 * what `describeWrite` adds; no SQL, no values and no error messages.
 */
export function traceDatabase(database: Database, { api, describeWrite }: DatabaseTracing): Database {
  const { trace, SpanKind, SpanStatusCode } = api;
  const tracer = trace.getTracer("rolegrid");

  function inSpan<T>(
    operation: "read" | "write",
    statements: readonly BoundStatement[],
    call: (span: OpenTelemetry.Span | undefined) => Promise<T>,
  ): Promise<T> {
    // Outside a request, each call would be a trace of one span.
    if (trace.getActiveSpan() === undefined) return call(undefined);
    const attributes = {
      "db.system.name": "sqlite",
      "db.operation.name": operation,
      "rolegrid.database": database.kind,
      "rolegrid.statement_count": statements.length,
    };
    return tracer.startActiveSpan(
      `database ${operation}`,
      { kind: SpanKind.CLIENT, attributes },
      async (span) => {
        try {
          return await call(span);
        } catch (error) {
          span.setAttribute("error.type", nameError(error));
          span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      },
    );
  }

  return {
    ...database,
    read: (statement) => inSpan("read", [statement], () => database.read(statement)),
    readAll: (statements) => inSpan("read", statements, () => database.readAll(statements)),
    write: (statements) =>
      inSpan("write", statements, async (span) => {
        const results = await database.write(statements);
        span?.setAttributes(describeWrite(results.findLast((rows) => rows.length > 0) ?? []));
        return results;
      }),
    close: () => database.close(),
  };
}

/** Returns the code or class of an error, but no message, which may contain SQL. */
function nameError(error: unknown): string {
  if (error instanceof AppError) return error.code;
  if (!(error instanceof Error)) return typeof error;
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
