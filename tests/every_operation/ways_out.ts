import type { Hono } from "hono";
import type { AppEnv } from "../../src/http/env.ts";

/** Finds the operations whose long responses are sent piece by piece, from the source. */

/** The functions that make a body that is sent piece by piece. */
const STREAMS = /\bnew ReadableStream\(|\.sendParts\(|\.sendText\(/;
/** The places where such bodies are made for responses. Elsewhere, streams are read. */
const ROOMS = /\/(?:http\/(?:collect|respond|sender)|\w*routes)\.ts$/;
const SOURCE = new URL("../../src/", import.meta.url);
const FUNCTION = /^( *)(?:export )?(?:async )?function\*? (\w+)[^]*?\n\1}/gm;

/** The operations whose handlers may send a response piece by piece. */
export function findStreaming(app: Hono<AppEnv>): ReadonlySet<string> {
  const senders = findSenders();
  const isStream = (text: string): boolean => STREAMS.test(text) || callsSome(text, senders);
  const operations = app.routes.filter(({ method, handler }) =>
    method !== "ALL" && isStream(String(handler))
  );
  return new Set(operations.map(({ method, path }) => `${method} ${path}`));
}

/** The names of functions that make such a response, themselves or through others. */
function findSenders(): ReadonlySet<string> {
  const functions = sourceFiles(SOURCE).filter(({ pathname }) => ROOMS.test(pathname)).flatMap((url) =>
    Array.from(Deno.readTextFileSync(url).matchAll(FUNCTION), ([text, , name = ""]) => ({ name, text }))
  );
  const found = new Set<string>();
  for (let size = -1; size < found.size;) {
    size = found.size;
    for (const { name, text } of functions) {
      // A factory of routes has all their handlers in it.
      if (/^create\w*(?:Routes|Sender)$/.test(name)) continue;
      const body = text.slice(text.indexOf("("));
      if (STREAMS.test(body) || callsSome(body, found)) found.add(name);
    }
  }
  return found;
}

function callsSome(text: string, names: ReadonlySet<string>): boolean {
  return text.matchAll(/\b(\w+)\(/g).some(([, name = ""]) => names.has(name));
}

function sourceFiles(folder: URL): URL[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    if (isDirectory) return name === "web" ? [] : sourceFiles(new URL(`${name}/`, folder));
    return name.endsWith(".ts") ? [new URL(name, folder)] : [];
  });
}
