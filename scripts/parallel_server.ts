import { openIsolate } from "../src/service/parallel.ts";
import { openProduction } from "../src/service/production.ts";

/**
 * What `deno task start:parallel` has `deno serve` run, once for each isolate. Its arguments: the number of isolates,
 * and a file that each of them keeps locked as long as its listener must stay open.
 */
const [isolates, path = ""] = Deno.args;

// In any isolate but the first the runtime would go on without it, and without a word.
for (const kind of ["error", "unhandledrejection"]) {
  addEventListener(kind, (event) => {
    // Somebody may have dealt with it, after this was added.
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
  // The end of standard input tells all isolates at once, and also when the task is killed.
  told: Deno.stdin.readable.pipeTo(new WritableStream()),
  agreeToClose: () => file.close(),
});
