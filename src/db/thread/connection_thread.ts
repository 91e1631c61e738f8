import type { Row } from "../database.ts";
import {
  type Batch,
  type BatchOutcome,
  type ConnectionSettings,
  fromPlainError,
  type NumberedStatement,
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
  /** The numbers of texts, as many as the program has statements, and the texts that are yet to be sent. */
  readonly #numbers = new Map<string, number>();
  #newTexts: string[] = [];
  #worker: Worker | undefined;
  #lastId = 0;

  /** Tests replace the thread's program. */
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
        await call({ kind: "read", statements: this.#numbered(statements) }) as Row[][],
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
    this.#newTexts = [];
  }

  #numbered(statements: Batch): NumberedStatement[] {
    return statements.map(({ sql, args }) => {
      let text = this.#numbers.get(sql);
      if (text === undefined) {
        text = this.#numbers.size;
        this.#numbers.set(sql, text);
        this.#newTexts.push(sql);
      }
      return { text, args };
    });
  }

  async #send(connection: number, call: ThreadCall): Promise<unknown> {
    const id = ++this.#lastId;
    const request: ThreadRequest = { id, connection, call, newTexts: this.#newTexts };
    const { result, error } = await new Promise<ThreadResponse>((resolve) => {
      this.#calls.set(id, resolve);
      this.start().postMessage(request);
      // Not before: a message that cannot be copied has not been sent.
      this.#newTexts = [];
    });
    if (error !== undefined) throw fromPlainError(error);
    return result;
  }
}
