import { readResponse } from "../helpers/http.ts";
import { fromBase32 } from "../helpers/second_factors.ts";
import type { TestApp } from "../helpers/test_app.ts";
import type { Contract } from "./contract.ts";
import { curlLine } from "./curl_line.ts";
import { echoesOf } from "./echoes.ts";
import { assertNothingLeftOver } from "./leftovers.ts";
import { harvest } from "./live.ts";
import { outgoingOf, type Step } from "./steps.ts";
import {
  authorizationOf,
  learnCodes,
  openWorld,
  reviveSession,
  senderOf,
  type UserKind,
  type World,
} from "./world.ts";

/** Number of responses by `method path status`. */
export type Tally = Map<string, number>;

/** A response broke the contract. The message shows all requests of the sequence; the last one got that response. */
export class ContractError extends Error {
  override readonly name = "ContractError";
}

export interface SequenceOptions {
  readonly contract: Contract;
  readonly kind: UserKind;
  readonly tally: Tally;
}

/** Sends a sequence to a new world. Checks every response, and the database at the end. */
export async function playSequence(
  target: TestApp,
  steps: readonly Step[],
  { contract, kind, tally }: SequenceOptions,
): Promise<void> {
  const world = await openWorld(target);
  const sent: string[] = [];
  for (const step of steps) {
    const faults = await playStep(world, step, { contract, kind, tally, sent });
    if (faults.length > 0) throw new ContractError(`${faults.join("\n")}\n\n${sent.join("\n")}`);
  }
  try {
    await assertNothingLeftOver(target);
  } catch (cause) {
    throw new ContractError(`${(cause as Error).message}\n\n${sent.join("\n")}`, { cause });
  }
}

async function playStep(
  world: World,
  step: Step,
  { contract, kind, tally, sent }: SequenceOptions & { readonly sent: string[] },
): Promise<string[]> {
  const { target, pools } = world;
  const { operation, from } = step;
  target.clock.advance(step.wait);
  await learnCodes(world);
  const authorization = await authorizationOf(world, step, kind);
  const outgoing = outgoingOf(step, pools, authorization.header);
  const { method, path, headers, body } = outgoing;
  const linesBefore = target.logLines.length;
  sent.push(`${step.wait > 0 ? `sleep ${step.wait}; ` : ""}${curlLine(outgoing, authorization.name)}`);
  const init = { method, headers, from, ...(body === undefined ? {} : { body }) };
  const answer = await readResponse(await target.request(path, init));
  sent.push(`  # ${answer.status} ${answer.text.slice(0, 300)}`);
  const log = target.logLines.slice(linesBefore);
  const faults = [
    ...contract.faultsOf(operation, outgoing, answer),
    ...echoesOf(outgoing, answer, log),
    ...(log.some((line) => line.includes('"event":"request"')) ? [] : ["the log has no line of the request"]),
  ];
  if (answer.status === 500) faults.push(...log);
  const entry = `${operation.method} ${operation.path} ${answer.status}`;
  tally.set(entry, (tally.get(entry) ?? 0) + 1);
  harvest(pools, answer.body);
  if (answer.status < 300) learn(world, step, { sender: senderOf(step, kind), sentBody: body, answer });
  if (answer.status === 401 && step.token === "suited") await reviveSession(world, senderOf(step, kind));
  return faults;
}

interface Success {
  readonly sender: UserKind;
  readonly sentBody: unknown;
  readonly answer: { readonly body: unknown; readonly text: string };
}

/** Remembers the values that a success returned or set. */
function learn(
  { pools, people, appSecrets }: World,
  { operation, token }: Step,
  { sender, sentBody, answer }: Success,
): void {
  if (operation.path === "/user/2fa/totp/setup") {
    const { url } = answer.body as { url: string };
    appSecrets.push(fromBase32(new URL(url).searchParams.get("secret") ?? ""));
  }
  if (operation.path === "/auth/login" || operation.path === "/auth/refreshtoken") {
    pools.add("refreshToken", answer.text);
  }
  if (operation.path.endsWith("/accesstoken")) pools.add("accessToken", answer.text);
  if (operation.path === "/auth/refreshtoken") {
    const person = people.get(sender);
    if (person !== undefined && token !== "learned") person.refreshToken = answer.text;
  }
  if (typeof sentBody !== "string" || sentBody === "" || !sentBody.startsWith("{")) return;
  const { newPassword, password } = JSON.parse(sentBody);
  if (typeof newPassword === "string") pools.add("password", newPassword);
  if (operation.path.startsWith("/v1/role/") && typeof password === "string") {
    pools.add("rolePassword", password);
  }
}
