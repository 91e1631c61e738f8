import { rights } from "../every_operation/request_catalogue.ts";
import { type Answer, queryNumber, send, type Sent } from "../helpers/http.ts";
import { bootstrap, invite, type Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";

export const ALICE = "alice@example.com";
export const BOB = "bob@example.com";
export const READ = "viewManagement";
export const WRITE = "roleManagement";

export type Scene = Awaited<ReturnType<typeof setScene>>;

/** A role below Alice's team and Bob's, which Alice may manage and read, and Bob only read. */
export async function setScene(target: TestApp) {
  const { admin, rootId } = await bootstrap(target);
  const aliceTeamId = await admin.create(rootId, "Alice's team");
  const bobTeamId = await admin.create(rootId, "Bob's team");
  const roleId = await admin.create(aliceTeamId, "Record", rights(READ, WRITE));
  await admin.put(`/v1/role/${bobTeamId}/manages?childRoleId=${roleId}`, rights(READ));
  const alice = await invite(target, admin, aliceTeamId, ALICE);
  const bob = await invite(target, admin, bobTeamId, BOB);
  return { target, admin, alice, bob, rootId, aliceTeamId, bobTeamId, roleId };
}

export const user = (id: string) => ({ type: "user", id });
export const role = (id: number) => ({ type: "role", id: String(id) });
export const device = (id: number | string) => ({ type: "device", id: String(id) });
export const action = (name: string) => ({ name });

/** Sends a request to the Authorization API. */
export function post(
  { target }: Pick<Scene, "target">,
  person: Person | undefined,
  path: string,
  body?: unknown,
  sent: Sent = {},
): Promise<Answer> {
  return send(target, "POST", `/access/v1/${path}`, { token: person?.accessToken, body, ...sent });
}

/** The `decision` of one evaluation, which must succeed. */
export async function decide(
  scene: Pick<Scene, "target">,
  person: Person,
  subject: object,
  name: string,
  resource: object,
): Promise<boolean> {
  const answer = await post(scene, person, "evaluation", { subject, action: { name }, resource });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return (answer.body as { decision: boolean }).decision;
}

/** The id of the account with this address. */
export async function accountId(target: TestApp, email: string): Promise<string> {
  return String(await queryNumber(target, `SELECT id FROM user_account WHERE email = '${email}'`));
}

interface SearchAnswer<T> {
  readonly page: { readonly next_token: string; readonly count: number };
  readonly results: T[];
}

async function searchPage<T>(
  scene: Pick<Scene, "target">,
  person: Person,
  kind: string,
  body: object,
): Promise<SearchAnswer<T>> {
  const answer = await post(scene, person, `search/${kind}`, body);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body as SearchAnswer<T>;
}

/** The results of a search, which must have only one page. */
export async function results<T>(
  scene: Pick<Scene, "target">,
  person: Person,
  kind: string,
  body: object,
): Promise<T[]> {
  const { page, results } = await searchPage<T>(scene, person, kind, body);
  if (page.next_token !== "" || page.count !== results.length) throw new Error(JSON.stringify(page));
  return results;
}

/** The results of all pages of a search. */
export async function readPages<T>(
  scene: Pick<Scene, "target">,
  person: Person,
  kind: string,
  body: object,
  limit: number,
): Promise<T[]> {
  const all: T[] = [];
  let page: object = { limit };
  for (;;) {
    const found = await searchPage<T>(scene, person, kind, { ...body, page });
    if (found.results.length > limit) throw new Error("The page is too long");
    all.push(...found.results);
    if (found.page.next_token === "") return all;
    page = { token: found.page.next_token };
  }
}
