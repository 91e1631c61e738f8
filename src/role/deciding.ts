/** The program of a thread that writes to a database file and decides changes there (`Statement.decided`). */
export const DECIDING_THREAD: URL = new URL("deciding_thread.ts", import.meta.url);
