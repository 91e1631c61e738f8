import { ConfigError } from "../../src/service/config_error.ts";
import { UnusableDatabaseError } from "../../src/db/database.ts";
import { AppError } from "../../src/core/errors.ts";
import { CycleError } from "../../src/graph/closure/closure.ts";
import { GraphMovedError } from "../../src/graph/closure/graph_moved.ts";
import { printError } from "./output.ts";

/** The error of a task that cannot continue. The message gives the reason and the remedy. */
export class TaskError extends Error {
  override readonly name = "TaskError";
}

/**
 * Runs a task and ends the process with its status. Reports expected failures in one line on standard error (status
 * 1), others with their stack, since they are bugs.
 */
export async function runTask(task: () => Promise<number>): Promise<never> {
  let status = 1;
  try {
    status = await task();
  } catch (error) {
    printError(explainFailure(error) ?? describeUnforeseen(error));
  }
  Deno.exit(status);
}

/** Returns the message for an expected failure; undefined for others. */
function explainFailure(error: unknown): string | undefined {
  const tells = [TaskError, ConfigError, GraphMovedError, UnusableDatabaseError];
  if (tells.some((kind) => error instanceof kind)) return (error as Error).message;
  if (error instanceof CycleError) {
    const path = [...error.roleIds, error.roleIds[0]].join(" -> ");
    return `${error.message}: ${path}. Delete one of these relations first.`;
  }
  if (error instanceof AppError && error.code === "UNAVAILABLE") {
    return `The database is unreachable: ${
      innermostMessage(error)
    }. Check TURSO_DATABASE_URL and TURSO_AUTH_TOKEN, ` +
      "and that no other program keeps the database locked.";
  }
  if (error instanceof AppError) return `Refused: ${error.message}`;
  if (isFileError(error)) return `A file cannot be read or written: ${error.message}`;
  if (isDriverError(error)) return `The database reports an error: ${innermostMessage(error)}`;
  return undefined;
}

/** Whether the operating system refused to use a file, for example for want of room. */
function isFileError(error: unknown): error is Error {
  const { NotFound, PermissionDenied, IsADirectory, NotADirectory } = Deno.errors;
  return [NotFound, PermissionDenied, IsADirectory, NotADirectory].some((kind) => error instanceof kind) ||
    (error instanceof Error && /\(os error \d+\)/.test(error.message));
}

function isDriverError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && typeof error.code === "string" &&
    error.code.startsWith("SQLITE_");
}

/** Returns the driver's message, which other errors wrap. */
function innermostMessage(error: Error): string {
  return error.cause instanceof Error ? innermostMessage(error.cause) : error.message;
}

function describeUnforeseen(error: unknown): string {
  return error instanceof Error ? error.stack ?? error.message : String(error);
}
