import assert from "node:assert/strict";
import { operationsOf } from "../contract/api_document.ts";
import { queryNumber, succeed, testApp } from "../helpers/http.ts";
import { eachInItsScene } from "./kept_scene.ts";
import { ask } from "./request_catalogue.ts";

const LATEST = "SELECT seq FROM sqlite_sequence WHERE name = 'change_log'";

testApp(
  "exactly the operations that document the revision respond with it",
  async (target) => {
    const document = await succeed<Parameters<typeof operationsOf>[0]>(target, "GET", "/openapi.json");
    const described = new Map(operationsOf(document).map((operation) => [operation.route, operation]));
    const seen = { read: 0, change: 0 };
    for await (const { scene, request } of eachInItsScene(target)) {
      const before = await queryNumber(target, LATEST);
      const { status, headers } = await ask(scene, request);
      const after = await queryNumber(target, LATEST);
      const success = described.get(request.route)?.responses[status];
      const revision = headers.get("X-Rolegrid-Revision");
      assert.equal(revision !== null, "X-Rolegrid-Revision" in (success?.headers ?? {}), request.route);
      if (revision === null) continue;
      assert.equal(revision, String(after), request.route);
      // A transfer has a further row for the relation that it takes.
      const most = request.route.endsWith("/transfer") ? 2 : 1;
      assert.ok(after - before <= most, request.route);
      seen[after === before ? "read" : "change"]++;
    }
    assert.ok(seen.read >= 15 && seen.change >= 14, JSON.stringify(seen));
  },
);
