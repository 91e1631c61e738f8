import assert from "node:assert/strict";
import { MARKER } from "./bad_bodies.ts";
import { type Answer, assertError, MALFORMED, type Sent } from "../helpers/http.ts";
import { ask, type CatalogueRequest, type Scene } from "./request_catalogue.ts";

/** Asserts a refusal as malformed, with details only on request, which repeats nothing that was sent. */
export async function assertMalformed(
  scene: Scene,
  request: CatalogueRequest,
  change: Sent & { readonly path?: string },
  name: string,
): Promise<void> {
  const context = `${request.route}: ${name}`;
  const linesBefore = scene.target.logLines.length;
  const plain = await ask(scene, request, change);
  assertError(plain, 400, MALFORMED, context);
  const headers = { ...change.headers, "X-Error-Details": "true" };
  const detailed = await ask(scene, request, { ...change, headers });
  const { details, ...rest } = detailed.body as Record<string, unknown>;
  assert.deepEqual([detailed.status, rest], [400, plain.body], context);
  assert.ok(Array.isArray(details) && details.length > 0, `${context}: no details`);
  for (const detail of details) {
    assert.deepEqual(Object.keys(detail), ["path", "message"], context);
    assert.ok(detail.path.length > 0 && detail.message.length > 0, context);
  }
  for (const answer of [plain, detailed]) assertSilent(scene, answer, linesBefore, context);
}

/** Asserts that neither the response nor the log since then repeats what was sent. */
export function assertSilent(
  { target }: Scene,
  answer: Answer,
  linesBefore: number,
  context: string,
): void {
  const told = answer.text + JSON.stringify([...answer.headers]);
  assert.ok(!told.includes(MARKER), `${context}: the answer repeats the input: ${told}`);
  const log = target.logLines.slice(linesBefore).join("\n");
  assert.ok(!log.includes(MARKER), `${context}: the log repeats the input`);
}
