import type { Row } from "../database.ts";
import type { BoundStatement } from "../statement.ts";
import {
  type Batch,
  type BatchOutcome,
  type ConnectionSettings,
  fromPlainError,
  type KnownStatement,
  type NumberedBatch,
  type ThreadCall,
  type ThreadRequest,
  type ThreadResponse,
} from "./messages.ts";

/** A connection to a database file on a thread. Its first call opens it; calls run in their order. */
export interface ThreadConnection {
  /** Runs read statements on one snapshot. Returns one list of rows per statement. Throws the driver's error. */
  readAll(statements: Batch): Promise<Row[][]>;
  /**
   * Runs batches as one transaction. Returns the outcomes of the first ones, at least one, once they are committed;
   * the others were not begun. Throws the driver's error if nothing was written.
   */
  writeGroup(batches: readonly Batch[]): Promise<BatchOutcome[]>;
  /** Closes it after the calls so far. */
  close(): Promise<void>;
}

/**
 * A thread for connections to one database file or several. Starts with the first used connection, or by `start`. If it
 * ends unexpectedly, so does the process, with status 1: an open transaction could keep the file locked until then, and
 * a supervisor starts the process again.
 */
export class ConnectionThread {
  readonly #module: URL;
  readonly #calls = new Map<number, (response: ThreadResponse) => void>();
  /** The numbers of statements by text and marks, and the statements that are yet to be sent. */
  readonly #numbers = new Map<string, Map<string, number>>();
  #count = 0;
  #newStatements: KnownStatement[] = [];
  #worker: Worker | undefined;
  #lastId = 0;

  /** The thread's program: by default one without deciders. */
  constructor(module: URL = new URL("worker.ts", import.meta.url)) {
    this.#module = module;
  }

  /** Starts the thread, which takes about 50 ms, a third of it here. */
  start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(this.#module, { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<ThreadResponse>) => {
      this.#calls.get(data.id)?.(data);
      this.#calls.delete(data.id);
    });
    // The runtime has printed what happened.
    for (const kind of ["error", "messageerror"]) worker.addEventListener(kind, () => Deno.exit(1));
    return this.#worker = worker;
  }

  connect(settings: ConnectionSettings): ThreadConnection {
    const connection = ++this.#lastId;
    let isOpen = false;
    const call = (call: ThreadCall): Promise<unknown> => {
      if (!isOpen) this.#send(connection, { kind: "open", settings });
      isOpen = true;
      return this.#send(connection, call);
    };
    return {
      readAll: async (statements) =>
        await call({ kind: "read", batch: this.#numbered(statements) }) as Row[][],
      writeGroup: async (batches) =>
        await call({
          kind: "write",
          batches: batches.map((batch) => this.#numbered(batch)),
        }) as BatchOutcome[],
      close: async () => {
        if (isOpen) await call({ kind: "close" });
        isOpen = false;
      },
    };
  }

  /** Ends the thread. Its connections must be closed. */
  end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#numbers.clear();
    this.#count = 0;
    this.#newStatements = [];
  }

  #numbered(statements: Batch): NumberedBatch {
    const [first] = statements;
    const isShared = statements.every(({ args }) => args === first?.args);
    return {
      statements: statements.map((statement) => this.#numberOf(statement)),
      args: isShared && first ? [first.args] : statements.map(({ args }) => args),
    };
  }

  #numberOf({ sql, onSteps, decided }: BoundStatement): number {
    const ofText = this.#numbers.get(sql) ?? new Map<string, number>();
    this.#numbers.set(sql, ofText);
    const marks = `${decided?.by ?? ""} ${onSteps ?? ""}`;
    const known = ofText.get(marks);
    if (known !== undefined) return known;
    const on = decided?.on.map((read) => this.#numberOf(read));
    const number = this.#count++;
    ofText.set(marks, number);
    this.#newStatements.push({
      sql,
      ...(onSteps && { onSteps }),
      ...(decided && on !== undefined && { decided: { by: decided.by, on } }),
    });
    return number;
  }

  async #send(connection: number, call: ThreadCall): Promise<unknown> {
    const id = ++this.#lastId;
    const request: ThreadRequest = { id, connection, call, newStatements: this.#newStatements };
    const { result, error } = await new Promise<ThreadResponse>((resolve) => {
      this.#calls.set(id, resolve);
      this.start().postMessage(request);
      // Not before: a message that cannot be copied has not been sent.
      this.#newStatements = [];
    });
    if (error !== undefined) throw fromPlainError(error);
    return result;
  }
}
