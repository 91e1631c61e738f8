import { NativeConnection } from "../native_connection.ts";
import {
  type Batch,
  type NumberedStatement,
  type ThreadRequest,
  type ThreadResponse,
  toPlainError,
} from "./messages.ts";
import { writeGroup } from "./write_group.ts";

/**
 * The program of a thread that serves database connections, one call at a time. The thread must not end with an open
 * transaction, which would keep the file locked until the process ends.
 */

/** The global scope of a thread; the runtime's types describe only that of a main program. */
interface ThreadScope {
  onmessage: (event: MessageEvent<ThreadRequest>) => void;
  postMessage(response: ThreadResponse): void;
}

const scope: ThreadScope = globalThis as object as ThreadScope;
const opened = new Map<number, NativeConnection>();
/** By their numbers. */
const texts: string[] = [];

scope.onmessage = ({ data }) => scope.postMessage(serve(data));
// No known fault causes this event. After it, `ConnectionThread` ends the process.
addEventListener("error", () => {
  for (const connection of opened.values()) connection.close();
});

function serve({ id, connection, call, newTexts }: ThreadRequest): ThreadResponse {
  texts.push(...newTexts);
  try {
    return { id, result: perform(connection, call) };
  } catch (error) {
    return { id, result: undefined, error: toPlainError(error) };
  }
}

function perform(number: number, call: ThreadRequest["call"]): unknown {
  if (call.kind === "open") {
    const { path, lockWaitMs, setup } = call.settings;
    opened.set(number, new NativeConnection(path, lockWaitMs, setup));
    return undefined;
  }
  const connection = opened.get(number);
  if (connection === undefined) throw new RangeError(`Connection ${number} is not open`);
  if (call.kind === "read") return connection.readAll(bound(call.statements));
  if (call.kind === "write") return writeGroup(connection, call.batches.map(bound));
  opened.delete(number);
  return connection.close();
}

function bound(statements: readonly NumberedStatement[]): Batch {
  return statements.map(({ text, args }) => ({ sql: texts[text] as string, args }));
}
