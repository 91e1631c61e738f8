/** Lists of who has access, whole and page by page, agree with every check of the model. */
import assert from "node:assert/strict";
import { accessOfPrincipal, accessToRole, personOf } from "../model/oracle_access.ts";
import { rightNames, UNKNOWN_ID } from "../model/oracle_answers.ts";
import { principalsOf } from "../model/oracle_rights.ts";
import { type GraphRun, readDrawnRevision } from "../model/oracle_run.ts";
import { ask, askersOf, forRandomScenarios } from "./random_runs.ts";

type Rows = Record<string, unknown>[];

interface AccessBody {
  readonly access: Rows;
  readonly nextCursor?: string | null;
  readonly revision: number;
  readonly revisionEnd?: number;
}

/** Masks to filter by, in turn. */
const MASKS = [0, 1, 2, 5, 63];

/** Asks for a list, whole and page by page, which must both be the expected one. */
async function assertList(
  run: GraphRun,
  { askerId, path, body, expected, beside = {}, limit }: {
    askerId: number;
    path: string;
    body: Record<string, unknown>;
    expected: Rows;
    /** What the response has beside the list and its revisions. */
    beside?: Record<string, unknown>;
    limit: number;
  },
): Promise<void> {
  const askPage = async (paging: Record<string, unknown>): Promise<AccessBody> =>
    await ask(run, askerId, path, { ...body, ...paging }) as AccessBody;
  const what = `${path} ${JSON.stringify(body)} for ${askerId}`;
  const revision = await readDrawnRevision(run);
  const whole = await askPage({});
  assert.deepEqual(whole, { access: expected, ...beside, revision, revisionEnd: revision }, what);
  const paged: Rows = [];
  for (let cursor: string | null | undefined = undefined; cursor !== null;) {
    const page: AccessBody = await askPage({ limit, ...(cursor === undefined ? {} : { cursor }) });
    assert.ok(page.access.length <= limit, `${what}: more than ${limit}`);
    paged.push(...page.access);
    cursor = page.nextCursor ?? null;
  }
  assert.deepEqual(paged, expected, `${what}, in pages of ${limit}`);
}

async function assertAccess(run: GraphRun): Promise<void> {
  const { world } = run;
  const principals = principalsOf(world);
  let n = world.relations.size + world.members.size;
  for (const askerId of askersOf(run)) {
    for (const roleId of [...world.roles.keys(), UNKNOWN_ID]) {
      n++;
      const rights = MASKS[n % MASKS.length] ?? 0;
      const people = n % 4 === 0 ? principals.filter((id, i) => id > 0 && (n + i) % 2 === 0) : undefined;
      await assertList(run, {
        askerId,
        path: `/v1/role/${roleId}/access/query`,
        body: {
          filter: {
            ...(rights === 0 ? {} : { right: rightNames(rights) }),
            ...(people === undefined ? {} : { userEmail: people.map((id) => world.users.get(id)) }),
          },
        },
        expected: accessToRole(world, askerId, roleId, {
          rights,
          ...(people === undefined ? {} : { userIds: people }),
        }),
        limit: 1 + n % 3,
      });
    }
    for (const userId of principals) {
      n++;
      const rights = MASKS[n % MASKS.length] ?? 0;
      const roleIds = n % 4 === 0 ? [...world.roles.keys()].filter((_, i) => (n + i) % 2 === 0) : undefined;
      const expected = accessOfPrincipal(world, askerId, userId, {
        rights,
        ...(roleIds === undefined ? {} : { roleIds }),
      });
      await assertList(run, {
        askerId,
        path: "/v1/access/query",
        body: {
          ...(userId > 0 ? { userEmail: world.users.get(userId) } : { keyId: -userId }),
          ...(rights === 0 ? {} : { right: rightNames(rights) }),
          ...(roleIds === undefined ? {} : { roleId: roleIds }),
        },
        expected,
        beside: personOf(world, userId, expected),
        limit: 1 + n % 3,
      });
    }
  }
}

forRandomScenarios("lists of access agree with every check", () => ({ atEnd: assertAccess }));
