import openapiTS, { astToString } from "openapi-typescript";

/**
 * Writes the types of the interface, which the console and the tests use, as any client can generate them from
 * `openapi.json`. Only type checks need them, so Git ignores them, and neither a build nor the service makes them.
 */

const DOCUMENT = new URL("../../openapi.json", import.meta.url);
const TYPES_FILE = new URL("../../src/console/web/openapi_types.ts", import.meta.url);

await Deno.writeTextFile(TYPES_FILE, astToString(await openapiTS(DOCUMENT)));
