/**
 * Imports files of tests, one after the other, so that all register their tests in this worker. The name of each test
 * begins with that of its file, which Deno would print otherwise.
 */
export async function registerFiles(urls: readonly string[]): Promise<void> {
  const register = Deno.test;
  const { pathname: root } = new URL("../", import.meta.url);
  let file = "";

  function registerNamed(...args: unknown[]): void {
    const [first, ...rest] = args;
    const named = typeof first === "string"
      ? `${file}: ${first}`
      : { ...first as object, name: `${file}: ${(first as Deno.TestDefinition).name}` };
    Reflect.apply(register, Deno, [named, ...rest]);
  }

  Object.assign(Deno, { test: Object.assign(registerNamed, register) });
  for (const url of urls) {
    file = new URL(url).pathname.slice(root.length).replace(/_test\.ts$/, "");
    await import(url);
  }
  Object.assign(Deno, { test: register });
}
