import { CONSOLE_FOLDER, type ConsoleManifest } from "../../src/console/console_build.ts";
import { openConsoleFiles } from "../../src/console/console_files.ts";

/** What `deno task build` built. Throws where it has not: a single test file does not do that by itself. */
export async function builtConsole(): Promise<ConsoleManifest> {
  const manifest = await openConsoleFiles(CONSOLE_FOLDER).getManifest();
  if (manifest === undefined) throw new Error('Run "deno task build" first: the console has not been built.');
  return manifest;
}
