/**
 * Preloaded (`deno test --preload`) with a runtime that looks for leaks unless told otherwise, as Deno 2.5 does: so the
 * tests run under the same conditions as with a newer one, which looks only where told to.
 */
const register = Deno.test;

function registerWithoutSanitizers(...args: unknown[]): void {
  const [first, second, third] = args;
  const unchecked = { sanitizeOps: false, sanitizeResources: false };
  const definition = typeof first === "string"
    ? { name: first, ...(typeof second === "function" ? { fn: second } : { ...second as object, fn: third }) }
    : first;
  Reflect.apply(register, Deno, [{ ...unchecked, ...definition as object }]);
}

Object.assign(Deno, { test: Object.assign(registerWithoutSanitizers, register) });
