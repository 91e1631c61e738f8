import { AsyncLocalStorage } from "node:async_hooks";
import { chooseDatabases } from "./databases.ts";

type TestBody = (...args: unknown[]) => unknown;

interface TestFile {
  readonly url: string;
  /** Kinds of database, as in ROLEGRID_DATABASES, unless that names others. */
  readonly databases?: string;
}

/**
 * Imports files of tests, one after the other, so that all register their tests in this worker. The name of each test
 * begins with that of its file, which Deno would print otherwise. Each begins outside of any request: the runtime may start
 * it in the context of the callback that it ran last.
 */
export async function registerFiles(files: readonly TestFile[]): Promise<void> {
  const register = Deno.test;
  const { pathname: root } = new URL("../../", import.meta.url);
  const outside = AsyncLocalStorage.snapshot();
  let file = "";

  function begunOutside(part: unknown): unknown {
    return typeof part === "function" ? (...args: unknown[]) => outside(part as TestBody, ...args) : part;
  }

  function withBody<T extends object>(definition: T): T {
    return "fn" in definition ? { ...definition, fn: begunOutside(definition.fn) } : definition;
  }

  function registerNamed(...args: unknown[]): void {
    const [first, ...rest] = args;
    const named = typeof first === "string"
      ? `${file}: ${first}`
      : withBody({ ...first as object, name: `${file}: ${(first as Deno.TestDefinition).name}` });
    Reflect.apply(register, Deno, [named, ...rest.map(begunOutside)]);
  }

  Object.assign(Deno, { test: Object.assign(registerNamed, register) });
  for (const { url, databases } of files) {
    chooseDatabases(databases);
    file = new URL(url).pathname.slice(root.length).replace(/^tests\//, "").replace(/_test\.ts$/, "");
    await import(url);
  }
  Object.assign(Deno, { test: register });
}
