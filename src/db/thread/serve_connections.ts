import { NativeConnection } from "../native_connection.ts";
import { type BoundStatement, parametersOf } from "../statement.ts";
import type { Deciders } from "./deciders.ts";
import {
  type Batch,
  type KnownStatement,
  type NumberedBatch,
  type ThreadRequest,
  type ThreadResponse,
  toPlainError,
} from "./messages.ts";
import { writeGroup } from "./write_group.ts";

/** The global scope of a thread; the runtime's types describe only that of a main program. */
interface ThreadScope {
  onmessage: (event: MessageEvent<ThreadRequest>) => void;
  postMessage(response: ThreadResponse): void;
}

/**
 * Serves database connections on this thread, one call at a time. The thread must not end with an open transaction,
 * which would keep the file locked until the process ends.
 */
export function serveConnections(deciders: Deciders = {}): void {
  const scope: ThreadScope = globalThis as object as ThreadScope;
  const opened = new Map<number, NativeConnection>();
  /** By their numbers, without arguments. */
  const known: BoundStatement[] = [];

  function serve({ id, connection, call, newStatements }: ThreadRequest): ThreadResponse {
    newStatements.forEach(learn);
    try {
      return { id, result: perform(connection, call) };
    } catch (error) {
      return { id, result: undefined, error: toPlainError(error) };
    }
  }

  function learn({ sql, onSteps, decided }: KnownStatement): void {
    known.push({
      sql,
      args: {},
      names: parametersOf(sql),
      ...(onSteps && { onSteps }),
      ...(decided && { decided: { by: decided.by, on: decided.on.map(numbered) } }),
    });
  }

  function perform(number: number, call: ThreadRequest["call"]): unknown {
    if (call.kind === "open") {
      const { path, lockWaitMs, setup } = call.settings;
      opened.set(number, new NativeConnection(path, lockWaitMs, setup));
      return undefined;
    }
    const connection = opened.get(number);
    if (connection === undefined) throw new RangeError(`Connection ${number} is not open`);
    if (call.kind === "read") return connection.readAll(bound(call.batch));
    if (call.kind === "write") return writeGroup(connection, call.batches.map(bound), deciders);
    opened.delete(number);
    return connection.close();
  }

  function bound({ statements, args }: NumberedBatch): Batch {
    return statements.map((number, i) => ({ ...numbered(number), args: args[i] ?? args[0] ?? {} }));
  }

  function numbered(number: number): BoundStatement {
    const found = known[number];
    if (found === undefined) throw new RangeError(`Statement ${number} is not known`);
    return found;
  }

  scope.onmessage = ({ data }) => scope.postMessage(serve(data));
  // No known fault causes this event. After it, `ConnectionThread` ends the process.
  addEventListener("error", () => {
    for (const connection of opened.values()) connection.close();
  });
}
