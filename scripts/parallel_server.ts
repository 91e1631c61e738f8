import { openIsolate } from "../src/service/parallel.ts";
import { openProduction } from "../src/service/production.ts";

/**
 * The module that `deno task start:parallel` runs with `deno serve`, once per isolate. Its arguments: the number of
 * isolates, and a file that each of them keeps locked while its listener must stay open.
 */
const [isolates, path = ""] = Deno.args;

// Without this, the runtime would silently go on after a failure in any isolate but the first.
for (const kind of ["error", "unhandledrejection"]) {
  addEventListener(kind, (event) => {
    // A listener that was added later may have handled it.
    queueMicrotask(() => {
      if (event.defaultPrevented) return;
      // deno-lint-ignore no-console -- the log may be what failed
      console.error(event instanceof PromiseRejectionEvent ? event.reason : event);
      Deno.exit(1);
    });
  });
}

const file = await Deno.open(path);
await file.lock(false);

export default await openIsolate(await openProduction(Deno.env.toObject()), {
  isolates: Number(isolates),
  // Standard input ends for all isolates at once, even when the task is killed.
  told: Deno.stdin.readable.pipeTo(new WritableStream()),
  agreeToClose: () => file.close(),
});
