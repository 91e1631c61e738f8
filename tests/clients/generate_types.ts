import openapiTS, { astToString } from "openapi-typescript";

/**
 * The types that npm's `openapi-typescript` generates from `openapi.json`, as any client can generate them. Run
 * as a program, this file writes them into the console, which uses them, and a test compares.
 */

export const TYPES_FILE = new URL("../../src/console/web/openapi_types.ts", import.meta.url);
const DOCUMENT = new URL("../../openapi.json", import.meta.url);

const HEADER = "/* Made of openapi.json by generate_types.ts: change it there, never here. */\n\n";

export async function generateTypes(): Promise<string> {
  return HEADER + astToString(await openapiTS(DOCUMENT));
}

if (import.meta.main) await Deno.writeTextFile(TYPES_FILE, await generateTypes());
