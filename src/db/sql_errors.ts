import { AppError, LoggableError } from "../core/errors.ts";

/**
 * A remote server sent no usable response: it was unreachable, cut off, too slow, garbled or failing. Whether it ran
 * the request is unknown.
 */
export class ServerUnreachableError extends LoggableError {
  override readonly name = "ServerUnreachableError";
}

/** An error of a statement or a request, as the server reports it. The functions below tell the codes apart. */
export class ServerError extends Error {
  override readonly name = "ServerError";

  constructor(message: string, readonly code: string | undefined, readonly status?: number) {
    super(message);
  }
}

/**
 * Codes of a database that cannot serve now: locked, out of space or memory, a transaction that took too long, a
 * blocked account. Read-only is a server without its primary, or a disk that was remounted after a fault; both pass.
 * Damage is not included, since a retry cannot help.
 */
const UNAVAILABLE_CODES: ReadonlySet<string> = new Set([
  "SQLITE_BUSY",
  "SQLITE_LOCKED",
  "SQLITE_FULL",
  "SQLITE_IOERR",
  "SQLITE_NOMEM",
  "SQLITE_CANTOPEN",
  "SQLITE_READONLY",
  "SQLITE_PROTOCOL",
  "TRANSACTION_TIMEOUT",
  "TRANSACTION_BUSY",
  "BLOCKED",
]);

/** Codes of a write that the disk did not take: it is full, faulty or read-only. */
const UNSTORED_CODES: ReadonlySet<string> = new Set(["SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY"]);

const DAMAGE_CODES: ReadonlySet<string> = new Set(["SQLITE_CORRUPT", "SQLITE_NOTADB"]);

/** A server's status if all of its connections are taken (`--max-concurrent-connections`). */
const TOO_MANY_REQUESTS = 429;

/** HTTP statuses below 500 that mean "not now" or "not you" rather than "this request is wrong". */
const UNAVAILABLE_STATUSES: ReadonlySet<number> = new Set([401, 403, 404, 408, TOO_MANY_REQUESTS]);

const RETRY_AFTER_SECONDS = 1;

/** Whether the call met a lock, or no free connection of the server. It has not begun. */
export function isBusy(error: unknown): boolean {
  return chain(error).some((link) => codeOf(link) === "SQLITE_BUSY" || statusOf(link) === TOO_MANY_REQUESTS);
}

/** Whether the database cannot serve now, for any statement. */
export function isUnavailable(error: unknown): boolean {
  return chain(error).some((link) => {
    if (link instanceof ServerUnreachableError) return true;
    const code = codeOf(link);
    if (code !== undefined && UNAVAILABLE_CODES.has(code)) return true;
    const status = statusOf(link);
    return status !== undefined && isUnavailableStatus(status);
  });
}

/** Whether a write failed because its disk did not take it. Nothing of it is stored. */
export function cannotStore(error: unknown): boolean {
  return chain(error).some((link) => UNSTORED_CODES.has(codeOf(link) ?? ""));
}

/** Whether the server may have run the request: there was no response, or none that can be read. */
export function isOutcomeUnknown(error: unknown): boolean {
  return chain(error).some((link) => link instanceof ServerUnreachableError);
}

/** Whether the server rolled a write back because it took too long. */
export function isTransactionTimeout(error: unknown): boolean {
  return chain(error).some((link) => codeOf(link) === "TRANSACTION_TIMEOUT");
}

/**
 * Returns the columns of a violated UNIQUE or PRIMARY KEY constraint as SQLite names them: `table.column`, or `table.a,
 * table.b`. Undefined for any other error. Reads the message, since a remote server sends no extended code.
 */
export function uniqueViolation(error: unknown): string | undefined {
  for (const link of chain(error)) {
    if (codeOf(link) !== "SQLITE_CONSTRAINT") continue;
    const match = /UNIQUE constraint failed: (.+)/.exec(link.message);
    if (match !== null) return match[1];
  }
  return undefined;
}

/**
 * Whether a text, a result or an intermediate value is too large for the database. The call had no effect, and a retry
 * would fail, too. A server has a different code for each place where it notices.
 */
export function isTooLarge(error: unknown): boolean {
  return chain(error).some((link) => {
    const code = codeOf(link);
    if (code === "SQLITE_TOOBIG" || code === "RESPONSE_TOO_LARGE") return true;
    return code === "ARGS_INVALID" && link.message.includes("too big");
  });
}

/** Whether a file is no database, or not as SQLite wrote it. */
export function isDamage(error: unknown): boolean {
  return chain(error).some((link) =>
    DAMAGE_CODES.has(codeOf(link) ?? "") || link.message === "unsupported file format"
  );
}

/** Whether a statement names a table that does not exist. */
export function isMissingTable(error: unknown, table: string): boolean {
  return chain(error).some((link) => link.message.endsWith(`no such table: ${table}`));
}

/** Returns the error for a database that cannot serve: a 503 with `Retry-After: 1`. */
export function unavailable(cause: unknown): AppError {
  return new AppError("UNAVAILABLE", { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}

/** Returns `AppError("UNAVAILABLE")` if the database cannot serve, and any other error as it is. */
export function translateError(error: unknown): unknown {
  if (error instanceof AppError || !isUnavailable(error)) return error;
  return unavailable(error);
}

function isUnavailableStatus(status: number): boolean {
  return status >= 500 || UNAVAILABLE_STATUSES.has(status);
}

/**
 * Returns the error and its causes: Drizzle wraps the errors of the database, and an `AppError` has them as its cause.
 */
function chain(error: unknown): Error[] {
  const links: Error[] = [];
  for (let link = error; link instanceof Error && !links.includes(link); link = link.cause) links.push(link);
  return links;
}

/** Returns the HTTP status of a server's refusal. */
function statusOf(error: Error): number | undefined {
  return "status" in error && typeof error.status === "number" ? error.status : undefined;
}

/** Returns the primary code: of extended ones (`SQLITE_CONSTRAINT_UNIQUE`), the first part. */
function codeOf(error: Error): string | undefined {
  if (!("code" in error) || typeof error.code !== "string") return undefined;
  return /^SQLITE_[A-Z]+/.exec(error.code)?.[0] ?? error.code;
}
