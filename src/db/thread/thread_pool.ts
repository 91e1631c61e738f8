import { ConnectionThread } from "./connection_thread.ts";

/** Number of concurrent reads of a database: with one, all reads would wait behind a long one. */
const READERS = 2;

/** The threads that serve a database file, or several. */
export interface ConnectionThreads {
  readonly writer: ConnectionThread;
  readonly readers: readonly ConnectionThread[];
  /** Ends the threads. Their connections must be closed. */
  end(): void;
}

/** Returns threads that start when they are first used. */
export function createConnectionThreads(): ConnectionThreads {
  const writer = new ConnectionThread();
  const readers = Array.from({ length: READERS }, () => new ConnectionThread());
  return {
    writer,
    readers,
    end(): void {
      for (const thread of [writer, ...readers]) thread.end();
    },
  };
}
