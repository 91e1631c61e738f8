/** No label of a metric holds what a client chooses, whatever the operation. */
import assert from "node:assert/strict";
import { createMetrics, type MetricName, METRICS } from "../../src/core/metrics.ts";
import { send } from "../helpers/http.ts";
import { createRecordingApi, type Recorded } from "../helpers/recorded_metrics.ts";
import { openQuickApp } from "../helpers/test_app.ts";
import { eachInItsScene } from "./kept_scene.ts";
import { ask, methodOf, sentOf, withQuery } from "./request_catalogue.ts";

const MARKER = "Marker-5f21c8@evil.example";
const HEADERS = {
  "X-Request-Id": MARKER,
  "X-Forwarded-For": "198.51.100.77",
  "User-Agent": MARKER,
  Host: "evil77.example",
};
const METHODS = /^(DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT|_OTHER)$/;
/** A value of a closed set: no ids, no addresses. */
const WORD = /^[A-Za-z_]+$/;

Deno.test("no label of a metric holds what a client chooses, whatever the operation", async () => {
  const { api, recorded, readGauges } = createRecordingApi();
  await using target = await openQuickApp({ metrics: createMetrics(api) });
  let requests = 0;
  for await (const { scene, request } of eachInItsScene(target)) {
    const begun = requests;
    // Those that set the scene.
    if (begun === 0) recorded.length = 0;
    const path = withQuery(request.path, `${MARKER}=${begun}`);
    const sent = sentOf(scene, request, { headers: HEADERS });
    await ask(scene, request, { headers: HEADERS });
    await send(target, `EVIL-${begun}`, path, sent);
    await send(target, methodOf(request), `/${MARKER}${begun}${path}`, sent);
    await send(target, methodOf(request), path.replaceAll(/\d+/g, (id) => `${id}77${begun}`), sent);
    requests += 4;
  }
  assert.equal(valuesOf(recorded, "rolegrid.request.duration").length, requests);

  const routes = new Set(["unknown", ...target.app.routes.map(({ path }) => path)]);
  const named = new Set<string>();
  for (const { name, labels } of [...recorded, ...await readGauges()]) {
    named.add(name);
    assert.deepEqual(Object.keys(labels), METRICS[name as MetricName].labels, name);
    for (const [label, value] of Object.entries(labels)) {
      if (label === "http.route") assert.ok(routes.has(String(value)), `${name}: ${value}`);
      else if (label === "http.response.status_code") assert.ok(Number(value) >= 200 && Number(value) < 600);
      else assert.match(String(value), label === "http.request.method" ? METHODS : WORD, `${name}: ${label}`);
    }
  }
  for (const name of ["request.errors", "changes", "change.cost", "checks", "sign_ins", "telemetry.points"]) {
    assert.ok(named.has(`rolegrid.${name}`), name);
  }
});

function valuesOf(recorded: readonly Recorded[], wanted: MetricName): number[] {
  return recorded.filter(({ name }) => name === wanted).map(({ value }) => value);
}
