/**
 * A session of an integration for Home Assistant, over one connection, in the bytes that aiohttp 3.14 sends for it: each
 * minute it asks for companies, roles, monitors relations and devices, then for the latest values of the series that
 * the devices name.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Device } from "../device/device_people.ts";
import { forEachApp, send } from "../helpers/http.ts";
import { bootstrap } from "../helpers/person.ts";
import { connectTo, type RawResponse, sendBytes, serveLocally } from "../helpers/raw_http.ts";
import { ADMIN, ADMIN_PASSWORD } from "../every_operation/request_catalogue.ts";
import { type QueryResult, valuesOf } from "../every_operation/telemetry_requests.ts";

/** A series as devices of the platform name it. */
interface Series {
  readonly database: string;
  readonly retentionPolicy: string;
  readonly measurement: string;
  readonly fields: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
}

const METER: Series = {
  database: "lumenveld",
  fields: ["actualPowerTot_W", "voltageL1N_V", "currentL1_A"],
  measurement: "meterMetrics",
  retentionPolicy: "rp_one_s",
  tags: { gatewayMAC: "A1B2C3D4", nodeId: "A1B2C3D4-meter" },
};

class Integration {
  readonly #connection: Deno.TcpConn;
  accessToken: string | undefined;

  constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    { token = this.accessToken, headers = [] }: { token?: string | undefined; headers?: readonly string[] } =
      {},
  ): Promise<RawResponse> {
    const { port } = this.#connection.remoteAddr as Deno.NetAddr;
    const content = Buffer.from(body === undefined ? "" : JSON.stringify(body));
    const lines = [
      `${method} ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      "User-Agent: HomeAssistant/2026.4.0 aiohttp/3.14.5 Python/3.13",
      ...token === undefined ? [] : [`Authorization: Bearer ${token}`],
      "Accept: */*",
      "Accept-Encoding: gzip, deflate",
      ...headers,
      ...body === undefined ? [] : [`Content-Length: ${content.length}`, "Content-Type: application/json"],
    ];
    const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
    return await sendBytes(this.#connection, Buffer.concat([head, content]));
  }

  async logIn(): Promise<void> {
    const login = await this.send("POST", "/auth/login", { username: ADMIN, password: ADMIN_PASSWORD });
    assert.equal(login.status, 200, login.body);
    const access = await this.send("GET", "/auth/accesstoken", undefined, { token: login.body });
    assert.equal(access.status, 200, access.body);
    this.accessToken = access.body;
  }

  async read<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.send(method, path, body);
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.body}`);
    return JSON.parse(answer.body) as T;
  }
}

/** The query for the latest values of a series: of the last five minutes, and up to one minute ahead. */
function latestOf({ database, retentionPolicy, measurement, fields, tags }: Series, now: number): unknown {
  const time = [{ operator: ">=", value: now - 300_000 }, { operator: "<", value: now + 60_000 }];
  return {
    select: fields,
    from: { measurement, database, retentionPolicy },
    orderBy: "DESC",
    limit: 1,
    where: { time, tags },
  };
}

forEachApp("an integration for Home Assistant finds devices and reads their series", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const properties = {
    name: "Smart meter",
    nodeId: METER.tags["nodeId"],
    nodeParentsIds: ["site-1"],
    nodeType: "powerMeter",
    info: { manufacturer: "Example", model: "Smart meter", serialNumber: "0001" },
    nodeInfluxSeries: [METER],
  };
  await admin.post(`/v1/device?roleId=${rootId}`, { properties });
  const now = target.clock.now();
  const measured = [120_000, 60_000].map((age) => (
    `meterMetrics,gatewayMAC=A1B2C3D4,nodeId=${properties.nodeId} ` +
    `actualPowerTot_W=${age / 1000},voltageL1N_V=231.5,currentL1_A=0.5 ${now - age}`
  ));
  const written = await send(target, "POST", "/v1/telemetry?db=lumenveld&rp=rp_one_s&precision=ms", {
    token: admin.accessToken,
    rawBody: measured.join("\n"),
    headers: { "Content-Type": "text/plain" },
  });
  assert.equal(written.status, 204, written.text);

  await using server = serveLocally(target.app);
  using connection = await connectTo(server);
  const integration = new Integration(connection);
  await integration.logIn();

  const listDevices = async (body: object): Promise<Device[]> =>
    (await integration.read<{ device: Device[] }>("POST", "/v1/device/query", body)).device;
  const update = async (): Promise<Device[]> => {
    assert.deepEqual(await integration.read("GET", "/v1/company"), { company: [] });
    const { role } = await integration.read<{ role: unknown[] }>("POST", "/v1/role/query", {});
    const path = "/v1/role/*/monitors/query";
    const { monitors } = await integration.read<{ monitors: unknown[] }>("POST", path, {});
    assert.deepEqual([role.length, monitors.length], [1, 1]);
    return await listDevices({});
  };
  const devices = await update();
  assert.deepEqual(devices.map((device) => device.properties), [properties]);
  const series = devices.flatMap((device) => device.properties["nodeInfluxSeries"] as Series[]);
  const queries = series.map((one) => latestOf(one, now));
  const results = await integration.read<QueryResult[]>("POST", "/v1/telemetry/query", queries);
  assert.deepEqual(results.map(valuesOf), [[["2025-12-31T23:59:00Z", 60, 231.5, 0.5]]]);

  // It keeps the devices, and sends their hash when it asks again.
  const updates = devices.map(({ lastUpdate }) => lastUpdate).join("");
  const hash = createHash("sha256").update(updates).digest("base64");
  const unchanged = await integration.send("POST", "/v1/device/query", { skipHash: hash });
  assert.deepEqual(unchanged, { status: 204, body: "" });
  const path = `/v1/device/${devices[0]?.id}`;
  // The device is unchanged since the second of its last update, and changed since the second before.
  const read = Date.parse(devices[0]?.lastUpdate ?? "");
  const rename = { properties: { name: "Meter" } };
  for (const [time, status] of [[read - 1000, 412], [read, 200]] as const) {
    const headers = [`If-Unmodified-Since: ${new Date(time).toUTCString()}`];
    const answer = await integration.send("PUT", path, rename, { headers });
    assert.equal(answer.status, status, answer.body);
  }
  const changed = await listDevices({ skipHash: hash });
  // Setting one property keeps all others, unless the client replaces all.
  assert.deepEqual(changed.map((device) => device.properties), [{ ...properties, name: "Meter" }]);
  const replaced = await integration.send("PUT", `${path}?mode=replace`, rename);
  assert.equal(replaced.status, 200, replaced.body);
  const left = (await update()).map((device) => device.properties);
  assert.deepEqual(left, [{ nodeId: properties.nodeId, name: "Meter" }]);

  // Ignored filters, selected fields, and requests that are refused.
  const filter = { nodeType: ["powerMeter"], isActive: true };
  const named = await listDevices({ filter, fields: ["name"] });
  assert.deepEqual(named.map((device) => device.properties), [{ name: "Meter" }]);
  const twice = await integration.send("POST", "/v1/device/query?limit=1", { limit: 2 });
  assert.equal(twice.status, 400, twice.body);
  const headers = ["Content-Encoding: gzip"];
  const broken = await integration.send("POST", "/v1/telemetry?db=lumenveld", [], { headers });
  assert.equal(broken.status, 400, broken.body);
  assert.match(broken.body, /"Expected complete and valid gzip"/);
  const compressed = await integration.send("POST", "/v1/device/query", {}, { headers });
  assert.equal(compressed.status, 415, compressed.body);
});
