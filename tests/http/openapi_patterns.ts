import { type ApiDocument } from "../contract/api_document.ts";
import { succeed } from "../helpers/http.ts";
import { openQuickApp } from "../helpers/test_app.ts";

/** All regular expressions in the document that the service serves. */
export async function readPatterns(): Promise<string[]> {
  await using target = await openQuickApp();
  const document = await succeed<ApiDocument>(target, "GET", "/openapi.json");
  const patterns = new Set<string>();
  collect(document, patterns);
  return [...patterns];
}

function collect(value: unknown, patterns: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === "pattern" && typeof inner === "string") patterns.add(inner);
    collect(inner, patterns);
  }
}
