import { WRITE } from "../../tests/every_operation/telemetry_requests.ts";
import { type Attack, crowdOf, crumbledOf, type Strike, unreadOf } from "./attack.ts";

/** URLs as long as the runtime allows beside the other headers, and files: answered before the caller is known; bodies in odd shapes. */

const URL_LENGTH = 60_000;
const MEBIBYTE = 1024 * 1024;

/** As many of the items as fit. */
function filled(itemOf: (i: number) => string, separator: string): string {
  let text = itemOf(0);
  for (let i = 1; text.length < URL_LENGTH; i++) text += separator + itemOf(i);
  return text;
}

function ask(query: string, path: string, token?: string, connections = 16): Strike {
  return crowdOf({ connections, method: "GET", path: `${path}?${query}`, ...(token && { token }) });
}

/** A header as long as the URLs above. */
function tell(name: string, path: string, token?: string): Strike {
  const headers = { "Accept-Encoding": "gzip", [name]: filled(() => "a", ",") };
  return crowdOf({ connections: 16, method: "GET", path, headers, ...(token && { token }) });
}

/** So many mebibytes of points of a device, compressed. */
async function zippedPoints(nodeId: string, mebibytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const line = `m,nodeId=${nodeId} value=1\n`;
  const points = new Blob([line.repeat(Math.floor(mebibytes * MEBIBYTE / line.length))]);
  return await new Response(points.stream().pipeThrough(new CompressionStream("gzip"))).bytes();
}

/** Headers that the service reads, each as long as the URLs above, to operations that read them. */
function tellMuch(token: string): Strike {
  const many = filled(() => "127.0.0.1", ",");
  const strikes = [
    tell("Authorization", "/v1/role"),
    crowdOf({
      connections: 4,
      path: "/v1/rights/check",
      token: `e30.${"A".repeat(URL_LENGTH)}.${"A".repeat(86)}`,
    }),
    crowdOf({ connections: 4, path: "/auth/login", headers: { "X-Forwarded-For": many }, body: {} }),
    crowdOf({ connections: 4, path: "/auth/login", headers: { "Content-Type": many }, body: "{}" }),
    tell("Accept-Language", "/email/undo"),
    tell("If-Unmodified-Since", "/v1/device", token),
    tell("If-None-Match", "/v1/device", token),
    crowdOf({ connections: 4, path: "/v1/role", token, headers: { "Idempotency-Key": many }, body: {} }),
    crowdOf({ connections: 4, path: "/v1/role/1/key", token, headers: { "X-Sudo-Token": many }, body: {} }),
  ];
  return async (target) => {
    await Promise.all(strikes.map((strike) => strike(target)));
  };
}

export const THIRD_ATTACKS: readonly Attack[] = [
  {
    name: "a body of 16,000 bytes in as many chunks, of strangers",
    answers: [400, 503],
    prepare: () => Promise.resolve(crumbledOf({ connections: 8, path: "/auth/login" }, 16_000)),
  },
  {
    name: "a body of 120,000 bytes in as many chunks",
    answers: [400, 503],
    async prepare(scene) {
      const { token } = await scene.addPerson();
      return crumbledOf({ connections: 4, path: "/v1/role/query", token }, 120_000);
    },
  },
  {
    name: "points that are 30 kB compressed, and 10 or 30 MiB as text",
    answers: [400, 413, 429, 503],
    async prepare(scene) {
      const roleIds = await scene.addRoles(1);
      const [deviceId = 0] = await scene.addDevices(1, roleIds);
      const { token } = await scene.addPerson(roleIds);
      const headers = { "Content-Type": "text/plain", "Content-Encoding": "gzip" };
      const bodies = await Promise.all([10, 30].map((size) => zippedPoints(`node-${deviceId}`, size)));
      const strikes = bodies.map((body) => crowdOf({ connections: 4, path: WRITE, token, headers, body }));
      return async (target) => {
        await Promise.all(strikes.map((strike) => strike(target)));
      };
    },
  },
  {
    name: "a path of 60,000 segments, of strangers",
    answers: [404],
    prepare: () => Promise.resolve(crowdOf({ connections: 16, method: "GET", path: "/".repeat(URL_LENGTH) })),
  },
  {
    name: "unread files of the page of operations, of strangers",
    answers: [200, 503],
    prepare: () =>
      Promise.resolve(
        unreadOf({ connections: 400, method: "GET", path: "/docs/swagger-ui-bundle.js" }),
      ),
  },
  {
    name: "a URL of unknown parameters, of strangers",
    answers: [400],
    prepare: () => Promise.resolve(ask(filled((i) => i.toString(36), "&"), "/healthz")),
  },
  {
    name: "a URL of unknown parameters",
    answers: [400],
    async prepare(scene) {
      return ask(filled((i) => i.toString(36), "&"), "/v1/device", (await scene.addPerson()).token);
    },
  },
  {
    name: "a URL of one parameter again and again",
    answers: [400],
    async prepare(scene) {
      return ask(filled(() => "id=1", "&"), "/v1/role", (await scene.addPerson()).token);
    },
  },
  {
    name: "a URL of 1,900 parameters, on 300 connections of one user",
    answers: [400, 503],
    async prepare(scene) {
      return ask("id=1&".repeat(1900), "/v1/role", (await scene.addPerson()).token, 300);
    },
  },
  {
    name: "a URL of 1,000 ids of roles, on 200 connections of one user",
    answers: [200, 503],
    async prepare(scene) {
      const [root = 0] = await scene.addRoles(1);
      const ids = await scene.addRoles(1000, { parentIds: [root] });
      return ask(`id=${ids}`, "/v1/role", (await scene.addPerson([root])).token, 200);
    },
  },
  {
    name: "a URL of a list of 29,000 ids",
    answers: [400],
    async prepare(scene) {
      return ask(`id=${filled(() => "1", ",")}`, "/v1/role", (await scene.addPerson()).token);
    },
  },
  {
    name: "the document of operations, for a client with 30,000 versions of it",
    answers: [200],
    prepare: () => Promise.resolve(tell("If-None-Match", "/openapi.json")),
  },
  {
    name: "the document of operations, for a client that takes 30,000 encodings",
    answers: [200],
    prepare: () => Promise.resolve(tell("Accept-Encoding", "/openapi.json")),
  },
  {
    name: "headers of 60,000 characters, wherever one is read",
    answers: [200, 400, 401, 404, 415, 503],
    async prepare(scene) {
      return tellMuch((await scene.addPerson()).token);
    },
  },
];
