import { explainStartFailure, openProduction } from "./src/service/production.ts";
import { serve } from "./src/service/serve.ts";

/** The production service: configuration, database, app. Development starts in `scripts/dev.ts`. */
try {
  await serve(await openProduction(Deno.env.toObject()));
} catch (error) {
  const message = explainStartFailure(error);
  if (message === undefined) throw error;
  // deno-lint-ignore no-console -- for the administrator, before there is a log
  console.error(message);
  Deno.exit(1);
}
