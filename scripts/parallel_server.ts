import { openIsolate } from "../src/parallel.ts";
import { openProduction } from "../src/production.ts";

/**
 * What `deno task start:parallel` has `deno serve` run, once for each isolate. Its arguments: the number of isolates,
 * and a file that each of them keeps locked as long as its listener must stay open.
 */
const [isolates, path = ""] = Deno.args;
const file = await Deno.open(path);
await file.lock(false);

export default await openIsolate(await openProduction(Deno.env.toObject()), {
  isolates: Number(isolates),
  // The end of standard input tells all isolates at once, and also when the task is killed.
  told: Deno.stdin.readable.pipeTo(new WritableStream()),
  agreeToClose: () => file.close(),
});
