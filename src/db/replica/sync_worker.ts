import Libsql from "libsql";

/** A call to the thread that follows the primary. It runs one at a time. */
export type SyncCall =
  /** Opens the copy. Throws if a copy that is `kept` from an earlier run is damaged. */
  | {
    readonly kind: "open";
    readonly database: string;
    readonly url: string;
    readonly authToken: string;
    readonly kept: boolean;
  }
  /** Catches up with the primary. */
  | { readonly kind: "sync" }
  /** Closes the copy. One that is to be `kept` is brought into one file first. */
  | { readonly kind: "close"; readonly kept: boolean };

/** The number of the last frame after a sync, if the primary has named one. */
export type SyncReply = { readonly frame: number | undefined } | { readonly error: string };

/** This thread's end of the messages. The compiler takes every file for one of the main thread. */
interface Thread {
  onmessage: ((event: MessageEvent<SyncCall>) => void) | null;
  postMessage(reply: SyncReply): void;
}

const thread: Thread = globalThis as object as Thread;
let copy: Libsql.Database | undefined;
let path = "";

thread.onmessage = ({ data }): void => thread.postMessage(replyTo(data));

function replyTo(call: SyncCall): SyncReply {
  try {
    return { frame: run(call) };
  } catch (error) {
    return { error: String(error) };
  }
}

function run(call: SyncCall): number | undefined {
  switch (call.kind) {
    case "open": {
      path = call.database;
      if (call.kept) check();
      // The driver's types lack the second option.
      const options = { syncUrl: call.url, authToken: call.authToken };
      copy = new Libsql(path, options);
      return undefined;
    }
    case "sync": {
      const { frame_no } = copy?.sync() as { frame_no?: number };
      return frame_no;
    }
    case "close":
      copy?.close();
      if (call.kept) withPlainConnection((connection) => connection.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
      return undefined;
  }
}

function check(): void {
  withPlainConnection((connection) => {
    const rows = connection.prepare("PRAGMA quick_check").all() as { quick_check: string }[];
    if (rows[0]?.quick_check !== "ok") throw new Error("The copy is damaged");
  });
}

function withPlainConnection(use: (connection: Libsql.Database) => void): void {
  const connection = new Libsql(path);
  try {
    use(connection);
  } finally {
    connection.close();
  }
}
