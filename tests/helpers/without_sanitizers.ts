/**
 * Preloaded (`deno test --preload`) with older runtimes, which look for leaks by default and report timers that are
 * about to end. Newer ones look for leaks only where tests ask for it.
 */
const register = Deno.test;

function registerWithoutSanitizers(...args: unknown[]): void {
  const [first, second, third] = args;
  const unchecked = { sanitizeOps: false, sanitizeResources: false };
  const definition = typeof first === "string"
    ? { name: first, ...(typeof second === "function" ? { fn: second } : { ...second as object, fn: third }) }
    : first;
  Reflect.apply(register, Deno, [{ ...definition as object, ...unchecked }]);
}

Object.assign(Deno, { test: Object.assign(registerWithoutSanitizers, register) });
