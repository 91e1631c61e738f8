import { makeFile, type StaticFile } from "../http/static_file.ts";
import type { ConsoleManifest } from "./console_build.ts";

/** The built files of the console. */
export interface ConsoleFiles {
  /** Undefined if there is no build. */
  getManifest(): Promise<ConsoleManifest | undefined>;
  /** Undefined for a name that the manifest does not list. */
  getFile(name: string): Promise<StaticFile | undefined>;
}

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  map: "application/json",
};

/** Opens the files of a folder, which are read once each. The next page notices a new build. */
export function openConsoleFiles(folder: URL): ConsoleFiles {
  const manifestFile = new URL("manifest.json", folder);
  let known = "";
  let manifest: ConsoleManifest | undefined;
  let files = new Map<string, Promise<StaticFile>>();

  async function getManifest(): Promise<ConsoleManifest | undefined> {
    const text = await readText(manifestFile);
    if (text !== known) {
      known = text;
      manifest = text === "" ? undefined : JSON.parse(text) as ConsoleManifest;
      files = new Map();
    }
    return manifest;
  }

  return {
    getManifest,
    async getFile(name) {
      const { files: names = [] } = manifest ?? await getManifest() ?? {};
      if (!names.includes(name)) return undefined;
      const type = TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
      let file = files.get(name);
      if (file === undefined) {
        file = Deno.readFile(new URL(name, folder)).then((bytes) => makeFile(bytes, type));
        files.set(name, file);
        // The next request tries again.
        file.catch(() => files.delete(name));
      }
      return await file;
    },
  };
}

/** Reads a file's text; empty if it does not exist. */
async function readText(file: URL): Promise<string> {
  try {
    return await Deno.readTextFile(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}
