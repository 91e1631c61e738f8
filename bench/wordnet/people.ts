import { randomInteger } from "../../tests/helpers/random_numbers.ts";
import { ApiClient } from "./api_client.ts";
import type { RunningService } from "./running_service.ts";

/** A caller may add fifty members a day; six people stay below that. */
const MEMBERSHIPS_EACH = 8;
const INVITATION_LINK = /\/reset-password#token=([A-Za-z0-9_-]+)/;

export interface Person {
  readonly client: ApiClient;
  /** The person's roles, as a direct member. */
  readonly roleIds: readonly number[];
}

export interface InvitationOptions {
  readonly random: () => number;
  /** Collects milliseconds by kind of request. */
  readonly times: Map<string, number[]>;
  /** At most six. */
  readonly count: number;
}

/**
 * Makes people members of random roles, and logs them in as they would: with a password set by their
 * invitation's link.
 */
export async function invitePeople(
  service: RunningService,
  admin: ApiClient,
  roleIds: readonly number[],
  { random, times, count }: InvitationOptions,
): Promise<Person[]> {
  const people: Person[] = [];
  for (let n = 1; n <= count; n++) {
    const username = `person${n}@example.com`;
    const joined = new Set<number>();
    while (joined.size < Math.min(MEMBERSHIPS_EACH, roleIds.length)) {
      joined.add(roleIds[randomInteger(random, roleIds.length)] as number);
    }
    for (const roleId of joined) {
      await admin.send("add a member", "PUT", `/v1/role/${roleId}/member?userEmail=${username}`, {});
    }
    const password = `${username} likes long walks`;
    await acceptInvitation(service, username, password);
    const client = await ApiClient.logIn(service.url, { username, password }, times);
    people.push({ client, roleIds: [...joined] });
  }
  return people;
}

async function acceptInvitation(
  service: RunningService,
  username: string,
  newPassword: string,
): Promise<void> {
  const { output } = await service.runTask("mail", "--to", username);
  const token = INVITATION_LINK.exec(output)?.[1];
  if (token === undefined) throw new Error(`deno task mail shows no invitation to ${username}`);
  const response = await fetch(`${service.url}/user/password/link`, {
    method: "PUT",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token, newPassword }),
  });
  if (!response.ok) throw new Error(`${username} cannot set a password: ${await response.text()}`);
  await response.body?.cancel();
}
