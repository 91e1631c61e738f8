import { gzipSync } from "node:zlib";
import { COLLECT, powerOf, WRITE } from "../../tests/every_operation/telemetry_requests.ts";
import { defineStatement } from "../../tests/helpers/text_statement.ts";
import { type Attack, crowdOf, type Target } from "./attack.ts";
import type { LargeScene } from "../../tests/helpers/large_scene.ts";

const END_SESSION = defineStatement(`UPDATE session SET ended_at = 1 WHERE id = :sessionId`);

/** A device's power for each second, `:count` times. */
const ADD_POINTS = [
  defineStatement(`
    INSERT INTO tag_set (device_id, measurement, database, retention_policy, tags)
    VALUES (:deviceId, 'energy', 'plant', 'autogen', json_object('nodeId', 'node-' || :deviceId))`),
  defineStatement(`
    INSERT INTO series (tag_set_id, field, kind) SELECT id, 'power', 'number' FROM tag_set WHERE device_id = :deviceId`),
  defineStatement(`
    WITH RECURSIVE numbered(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbered WHERE i < :count)
    INSERT INTO point (series_id, time, value) SELECT series.id, i * 1000000000, i
    FROM tag_set JOIN series ON series.tag_set_id = tag_set.id CROSS JOIN numbered WHERE device_id = :deviceId`),
];

const TEXT = { "Content-Type": "text/plain" };
const MEBIBYTE = 1024 * 1024;
const LINES = Array.from({ length: 100_000 }, (_, i) => `energy,nodeId=meter power=${i} ${i}`).join("\n");

/** An owner of one device, and the name under which it writes. */
async function addOwner(scene: LargeScene): Promise<{ token: string; deviceId: number; nodeId: string }> {
  const [roleId = 0] = await scene.addRoles(1);
  const [deviceId = 0] = await scene.addDevices(1, [roleId]);
  const { token } = await scene.addPerson([roleId]);
  return { token, deviceId, nodeId: `node-${deviceId}` };
}

/** The owner of a device sends this body over and over. */
function ownerSends(
  name: string,
  bodyFor: (nodeId: string) => string,
  { type = "text/plain", ...rest }:
    & { type?: string }
    & Pick<Attack, "answers" | "onServer">,
): Attack {
  return {
    name,
    ...rest,
    async prepare(scene) {
      const { token, nodeId } = await addOwner(scene);
      const headers = { "Content-Type": type };
      return crowdOf({ connections: 8, path: WRITE, token, headers, body: bodyFor(nodeId) });
    },
  };
}

/** Bodies, of sign-ins and of points. */
export const BODY_ATTACKS: readonly Attack[] = [
  {
    name: "100,000 lines of points, in a session that is over",
    answers: [401],
    async prepare(scene) {
      const { token, sessionId } = await scene.addPerson();
      await scene.write([END_SESSION], { sessionId });
      return crowdOf({ connections: 8, path: WRITE, token, headers: TEXT, body: LINES });
    },
  },
  {
    name: "100,000 lines of points, compressed, of a user without a device",
    answers: [403],
    async prepare(scene) {
      const { token } = await scene.addPerson();
      const headers = { ...TEXT, "Content-Encoding": "gzip" };
      return crowdOf({ connections: 4, path: WRITE, token, headers, body: gzipSync(LINES) });
    },
  },
  ownerSends(
    "100,000 values in 400 lines",
    (nodeId) => {
      const fields = Array.from({ length: 250 }, (_, i) => `f${i}=1`).join(",");
      return Array.from({ length: 400 }, (_, i) => `m,nodeId=${nodeId} ${fields} ${i}`).join("\n");
    },
    { answers: [204, 429, 503], onServer: true },
  ),
  ownerSends(
    "10,000 series",
    (nodeId) => Array.from({ length: 10_000 }, (_, i) => `m,nodeId=${nodeId},n=${i} a=1 1`).join("\n"),
    { answers: [204, 429, 503], onServer: true },
  ),
  {
    name: "10,000 new series in 49 kB, of each of 36 devices",
    answers: [204, 429, 503],
    onServer: true,
    async prepare(scene) {
      const roleIds = await scene.addRoles(1);
      const { token } = await scene.addPerson(roleIds);
      const fields = Array.from({ length: 256 }, (_, i) => `${i.toString(36)}=1`).join(",");
      const strikes = (await scene.addDevices(36, roleIds)).map((id) => {
        const body = Array.from({ length: 39 }, (_, i) => `m${i},nodeId=node-${id} ${fields} 1`).join("\n");
        return crowdOf({ connections: 1, path: WRITE, token, headers: TEXT, body });
      });
      return async (target) => {
        await Promise.all(strikes.map((strike) => strike(target)));
      };
    },
  },
  ownerSends(
    "JSON of 10 MiB that is nested as deeply as it can be",
    () => "[".repeat(5 * MEBIBYTE) + "]".repeat(5 * MEBIBYTE),
    { type: "application/json", answers: [400, 429, 503] },
  ),
  ownerSends(
    "JSON of 10 MiB with a point of very many fields",
    () => `[{${Array.from({ length: 800_000 }, (_, i) => `"k${i}":1`).join(",")}}]`,
    { type: "application/json", answers: [400, 429, 503] },
  ),
  {
    name: "a filter of 500,000 ids",
    answers: [400, 503],
    async prepare(scene) {
      const { token } = await scene.addPerson();
      const body = `{"filter":{"id":[${"1,".repeat(500_000)}1]}}`;
      const headers = { "Content-Type": "application/json" };
      return crowdOf({ connections: 8, path: "/v1/role/query", token, headers, body });
    },
  },
  {
    name: "1,000 queries of points that are nested deeply",
    answers: [200, 429, 503],
    async prepare(scene) {
      const { token } = await scene.addPerson();
      const body = `[${Array(1000).fill(`{"a":${"[".repeat(90)}${"]".repeat(90)}}`).join()}]`;
      const headers = { "Content-Type": "application/json" };
      return crowdOf({ connections: 8, path: COLLECT, token, headers, body });
    },
  },
  {
    name: "a sum over 600,000 values",
    answers: [200, 429],
    onServer: true,
    async prepare(scene) {
      const { token, deviceId, nodeId } = await addOwner(scene);
      await scene.write(ADD_POINTS, { deviceId, count: 600_000 });
      const body = powerOf(nodeId, { select: [{ field: "power", function: "sum" }] });
      return crowdOf({ connections: 4, path: COLLECT, token, body: [body] });
    },
  },
  {
    name: "150 sign-ins that each hold a mebibyte",
    answers: [413, 503],
    prepare: () =>
      Promise.resolve(
        holdBodies(
          150,
          "Transfer-Encoding: chunked",
          `${MEBIBYTE.toString(16)}\r\n${"x".repeat(MEBIBYTE)}\r\n`,
        ),
      ),
  },
  {
    name: "2,500 sign-ins whose bodies do not arrive",
    answers: [408, 503],
    prepare: () => Promise.resolve(holdBodies(2500, "Content-Length: 16384", "x".repeat(16_000))),
  },
];

/** How long strangers wait for a refusal, and some more. */
const REFUSAL_MS = 1500;

/** Sends so many sign-ins with the beginning of a body, and holds them until the end. */
function holdBodies(count: number, header: string, begun: string): (target: Target) => Promise<void> {
  const head =
    `POST /auth/login HTTP/1.1\r\nHost: stall\r\nContent-Type: application/json\r\n${header}\r\n\r\n`;
  const bytes = new TextEncoder().encode(head + begun);
  return async ({ port, endsAt, note }) => {
    await Promise.all(Array.from({ length: count }, async () => {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port });
      const answered = readStatus(connection).then((status) => status !== undefined && note(status));
      for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
      await Promise.race([
        answered,
        new Promise((resolve) => setTimeout(resolve, endsAt + REFUSAL_MS - performance.now())),
      ]);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, endsAt - performance.now())));
    }));
  };
}

/** The status of a response, or undefined if the connection is closed before there is one. */
async function readStatus(connection: Deno.TcpConn): Promise<number | undefined> {
  const buffer = new Uint8Array(64);
  try {
    const count = await connection.read(buffer);
    return count === null ? undefined : Number(new TextDecoder().decode(buffer.subarray(9, 12)));
  } catch {
    return undefined;
  }
}
