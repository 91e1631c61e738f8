import { POINT_TIMES } from "./facts.ts";
import {
  addMember,
  addMonitors,
  createDevice,
  createRole,
  deleteRelation,
  putRelation,
  removeMember,
  removeMonitors,
  updateRole,
} from "./graph_changes.ts";
import { type Change, counted, JSON_TYPE, keysOf, type Knowledge, type Maker, pick } from "./knowledge.ts";

const START_MS = Date.UTC(2026, 0, 1);

/** A random change that the client's knowledge allows. */
export function pickChange(known: Knowledge): Change {
  for (;;) {
    const change = pick(MAKERS)?.(known);
    if (change !== undefined) return change;
  }
}

/** Writes two fields at each of many times, partly in new series. Each value is the number of the change. */
function writePoints(known: Knowledge): Change | undefined {
  const device = pick(keysOf(known.facts, "device "));
  if (device === undefined) return undefined;
  const nodeId = device.slice("device ".length);
  const { serial } = known;
  const body = Array.from({ length: POINT_TIMES }, (_, i) => ({
    measurement: `m${serial % 5}`,
    time: START_MS + serial * POINT_TIMES + i,
    tags: { nodeId, phase: String(i % 2) },
    fields: { power: serial, voltage: serial },
  }));
  return {
    kind: "points.write",
    method: "POST",
    path: "/v1/telemetry?db=plant",
    body,
    headers: JSON_TYPE,
    after: new Map(known.facts).set(`points ${nodeId} ${serial}`, `${2 * POINT_TIMES} at ${POINT_TIMES}`),
    repeatable: true,
  };
}

function rotate(known: Knowledge): Change {
  const key = `session ${known.email}`;
  const generation = Number(known.facts.get(key)?.split(" ")[1]);
  return {
    kind: "token.rotate",
    method: "GET",
    path: "/auth/refreshtoken",
    token: "refresh",
    after: new Map(known.facts).set(key, `generation ${generation + 1}`),
    repeatable: true,
  };
}

/** Requests a code that replaces the one before, with its mail and its log entry. */
function requestReset(known: Knowledge): Change | undefined {
  const email = pick(known.resetAddresses);
  if (email === undefined) return undefined;
  const mails = Number.parseInt(known.facts.get(`reset ${email}`) ?? "0") + 1;
  const value = `${mails} mails, ${mails} events, code of the last`;
  return {
    kind: "reset.request",
    method: "POST",
    path: "/user/password/reset/send",
    body: { email },
    headers: JSON_TYPE,
    token: "none",
    after: new Map(known.facts).set(`reset ${email}`, value),
    repeatable: false,
  };
}

/** Uses up the mailed code. */
export function proveByCode(known: Knowledge): Change | undefined {
  if (known.facts.get(`code ${known.email}`) !== "open") return undefined;
  return {
    kind: "code.use",
    method: "POST",
    path: "/user/2fa/email-otp/authenticate",
    body: { otp: known.code },
    headers: JSON_TYPE,
    after: counted(new Map(known.facts).set(`code ${known.email}`, "used"), `proofs ${known.email}`),
    repeatable: false,
  };
}

/** The kinds of changes. One that is listed more often comes up more often. */
const MAKERS: readonly Maker[] = [
  ...[createRole, createRole, createRole, updateRole, putRelation, putRelation, putRelation],
  ...[deleteRelation, addMember, addMember, removeMember, createDevice, createDevice],
  ...[addMonitors, removeMonitors, writePoints, writePoints, writePoints],
  ...[rotate, requestReset, proveByCode],
];
