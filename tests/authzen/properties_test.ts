/** Decisions, searches and questions of proxies agree with the model. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { testKind } from "../helpers/databases.ts";
import { readCount, SEQUENCES } from "../helpers/read_count.ts";
import { openTestApp, type TestApp } from "../helpers/test_app.ts";
import { Person } from "../helpers/person.ts";
import { scenario } from "../model/graph_operations.ts";
import { seesAsManager } from "../model/oracle_access.ts";
import { rolesOf as monitoringRolesOf } from "../model/oracle_devices.ts";
import { playScenario } from "../model/oracle_driver.ts";
import {
  DEVICE_MANAGEMENT,
  indirectRightsBy,
  isMember,
  membershipsOf,
  principalsOf,
  RIGHT_NAMES,
  rightsBy,
  ROLE_MANAGEMENT,
  someMembership,
  userRights,
  type World,
} from "../model/oracle_rights.ts";
import type { GraphRun } from "../model/oracle_run.ts";
import { post, readPages } from "./scene.ts";

const SEED = readCount("ROLEGRID_SEED", 20_260_101);
/** Each sequence ends with some hundred requests. */
const SHARES = [["file", 0.1], ["remote", 0.002]] as const;

type Entity = { readonly type: string; readonly id: string };

interface Asked {
  readonly subject: Entity;
  readonly action: { readonly name: string };
  readonly resource: Entity;
}

const ACTIONS = { role: [...RIGHT_NAMES, "member"], device: ["read", "write", "manage"] } as const;

function nameOf(principalId: number): Entity {
  return principalId > 0
    ? { type: "user", id: String(principalId) }
    : { type: "key", id: String(-principalId) };
}

const numberOf = ({ type, id }: Entity): number => type === "key" ? -Number(id) : Number(id);

/** The roles that a resource is about, of a device those that monitor it now. */
function rolesOf(world: World, { type, id }: Entity): number[] {
  return type === "role" ? [Number(id)] : monitoringRolesOf(world, Number(id));
}

function isPermitted(world: World, subjectId: number, name: string, resource: Entity): boolean {
  return rolesOf(world, resource).some((roleId) => {
    if (name === "member" || name === "read") return isMember(world, subjectId, roleId);
    const bit = 1 << (RIGHT_NAMES as readonly string[]).indexOf(name);
    if (resource.type === "role") return (userRights(world, subjectId, roleId) & bit) !== 0;
    return someMembership(
      world,
      subjectId,
      (own) =>
        (rightsBy(world, own, roleId) & DEVICE_MANAGEMENT) !== 0 ||
        (indirectRightsBy(world, own, roleId) & ROLE_MANAGEMENT) !== 0,
    );
  });
}

function expected(world: World, askerId: number, { subject, action, resource }: Asked): boolean {
  const subjectId = numberOf(subject);
  const mayAsk = subjectId === askerId ||
    rolesOf(world, resource).some((roleId) => seesAsManager(world, askerId, roleId));
  return mayAsk && isPermitted(world, subjectId, action.name, resource);
}

/** Every principal asks everything, and searches for some of it. */
async function assertDecisions(
  target: TestApp,
  { world, tokens }: GraphRun,
  seen: Set<string>,
): Promise<void> {
  const principals = principalsOf(world);
  const resources: Entity[] = [
    ...[...world.roles.keys()].map((id) => ({ type: "role", id: String(id) })),
    ...[...world.devices.keys()].map((id) => ({ type: "device", id: String(id) })),
  ];
  const questions = principals.flatMap((principalId) =>
    resources.flatMap((resource) =>
      ACTIONS[resource.type as "role"].map((name): Asked => ({
        subject: nameOf(principalId),
        action: { name },
        resource,
      }))
    )
  );
  for (const askerId of principals) {
    if (askerId < 0 && membershipsOf(world, askerId).length === 0) continue;
    const asker = new Person(target, tokens.get(askerId) ?? "");
    for (let i = 0; i < questions.length; i += 1000) {
      const evaluations = questions.slice(i, i + 1000);
      const answer = await post({ target }, asker, "evaluations", { evaluations });
      const decided = (answer.body as { evaluations: { decision: boolean }[] }).evaluations;
      for (const [j, question] of evaluations.entries()) {
        const decision = expected(world, askerId, question);
        seen.add(
          `${question.resource.type} ${question.action.name} ${askerId > 0 ? "user" : "key"} ${decision}`,
        );
        assert.equal(decided[j]?.decision, decision, `${askerId} asks ${JSON.stringify(question)}`);
      }
    }
    await assertForward(world, { askerId, asker, resources }, seen);
    await assertSearches(target, world, { askerId, asker, resources });
  }
}

/** Some of the asker's own questions, as a proxy asks them. */
async function assertForward(
  world: World,
  { askerId, asker, resources }: { askerId: number; asker: Person; resources: readonly Entity[] },
  seen: Set<string>,
): Promise<void> {
  const questions = resources.flatMap((resource) =>
    [...ACTIONS.role, ...(resource.type === "device" ? ACTIONS.device : [])].map((right) => ({
      resource,
      right,
    }))
  );
  // One in five, since each is a request of its own.
  for (const [i, { resource, right }] of questions.entries()) {
    if ((i + askerId) % 5 !== 0) continue;
    const isAction = (ACTIONS.device as readonly string[]).includes(right);
    const isExpected = isAction
      ? isPermitted(world, askerId, right, resource)
      : rolesOf(world, resource).some((id) =>
        isPermitted(world, askerId, right, { type: "role", id: String(id) })
      );
    const query = `right=${right}&${resource.type}Id=${resource.id}`;
    const { status } = await asker.ask("GET", `/access/v1/forward?${query}`);
    seen.add(`forward ${resource.type} ${right} ${isExpected}`);
    assert.equal(status, isExpected ? 200 : 403, `${askerId} asks ${query}`);
  }
}

async function assertSearches(
  target: TestApp,
  world: World,
  { askerId, asker, resources }: { askerId: number; asker: Person; resources: readonly Entity[] },
): Promise<void> {
  const subjects = principalsOf(world).map(nameOf);
  const find = (kind: string, body: object) => readPages<Entity>({ target }, asker, kind, body, 2);
  for (
    const [type, names] of [["role", ["member", "roleManagement"]], ["device", ["read", "write"]]] as const
  ) {
    for (const name of names) {
      const action = { name };
      for (const subject of subjects) {
        const may = resources.filter((resource) =>
          resource.type === type && expected(world, askerId, { subject, action, resource })
        );
        const body = { subject, action, resource: { type } };
        assert.deepEqual(
          sorted(await find("resource", body)),
          sorted(may),
          `${askerId} ${JSON.stringify(body)}`,
        );
      }
      for (const resource of resources.filter((one) => one.type === type)) {
        for (const subjectType of ["user", "key"]) {
          const may = subjects.filter((subject) =>
            subject.type === subjectType && expected(world, askerId, { subject, action, resource })
          );
          const body = { subject: { type: subjectType }, action, resource };
          assert.deepEqual(await find("subject", body), may, `${askerId} ${JSON.stringify(body)}`);
        }
      }
    }
  }
}

/** Models keep insertion order, pages that of ids. */
function sorted(entities: readonly Entity[]): Entity[] {
  return [...entities].sort((a, b) => Number(a.id) - Number(b.id));
}

/** Decisions that must occur, so that the property does not hold vacuously. */
const DECISIONS = [true, false].flatMap((decision) =>
  ["user", "key"].flatMap((asker) =>
    ["role member", "role roleManagement", "role userManagement", "device read", "device write"]
      .map((what) => `${what} ${asker} ${decision}`)
  )
);

for (const [kind, share] of SHARES) {
  const sequences = Math.ceil(SEQUENCES * share);
  testKind(
    kind,
    `decisions and searches agree with the model over ${sequences} sequences, seed ${SEED}`,
    async () => {
      await using target = await openTestApp(kind);
      const seen = new Set<string>();
      const agrees = fc.asyncProperty(scenario, async (played) => {
        await playScenario(target, played, new Map(), { atEnd: (run) => assertDecisions(target, run, seen) });
      });
      await fc.assert(agrees, { numRuns: sequences, seed: SEED });
      if (sequences >= 20) assert.deepEqual(DECISIONS.filter((one) => !seen.has(one)), []);
    },
  );
}
