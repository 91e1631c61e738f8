import { ConnectionThread } from "./connection_thread.ts";

/** Number of concurrent reads of a database: with one, all reads would wait behind a long one. */
const READERS = 2;

/** The threads that serve a database file, or several. */
export interface ConnectionThreads {
  /** Whether the writer can decide (`Statement.decided`). */
  readonly decides: boolean;
  readonly writer: ConnectionThread;
  readonly readers: readonly ConnectionThread[];
  /** Ends the threads. Their connections must be closed. */
  end(): void;
}

/** Returns threads that start when they are first used. `deciding`: the program of a writer that decides. */
export function createConnectionThreads(deciding?: URL): ConnectionThreads {
  const writer = new ConnectionThread(deciding);
  const readers = Array.from({ length: READERS }, () => new ConnectionThread());
  return {
    decides: deciding !== undefined,
    writer,
    readers,
    end(): void {
      for (const thread of [writer, ...readers]) thread.end();
    },
  };
}
