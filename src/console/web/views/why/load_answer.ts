import { api, dataOf } from "../../api.ts";
import type { AsOf } from "../../components/as_of.tsx";
import { texts } from "../../language.ts";
import type { components } from "../../openapi_types.ts";
import type { SomeRights } from "../../rights.ts";
import { loadRoles, MOST_IDS } from "../../roles.ts";
import type { Role } from "../../schemas.ts";
import { RIGHT_NAMES } from "../../../../graph/rights.ts";

type Schemas = components["schemas"];
type Explanation = Schemas["Explanation"];
/** A way from a membership to the role; if blocked, also where the right is lost. */
export type Way = Schemas["Way"] & Partial<Omit<Schemas["BlockedWay"], keyof Schemas["Way"]>>;
/** One of the changes that together would give the right. */
export type Fix = Explanation["fix"][number];

/** The subject of a question: an address, or a key's id. Undefined for the viewer. */
export type Asked = { readonly userEmail: string } | { readonly keyId: number } | undefined;

/** What can be asked about: a right, or whether the role is seen at all. */
export const ASKABLE = [...RIGHT_NAMES, "member"] as const;

/** A complete question. */
export interface Question {
  readonly asked: Asked;
  readonly roleId: number;
  readonly right: typeof ASKABLE[number];
  readonly asOf: AsOf | undefined;
}

/** The answer, with known data of its roles. */
export interface Answer {
  readonly question: Question;
  readonly explanation: Explanation;
  /** Those that the viewer sees. */
  readonly roles: ReadonlyMap<number, Role>;
  /** Also of roles that only a dormant membership reaches. */
  readonly names: ReadonlyMap<number, string>;
  /** The person's rights on each of them, as far as the viewer may know. */
  readonly rights: ReadonlyMap<number, SomeRights>;
}

/** Loads the answer. `ownEmail`: the viewer's address. */
export async function loadAnswer(
  question: Question,
  ownEmail: string,
  signal: AbortSignal,
): Promise<Answer> {
  const { asked, roleId, right } = question;
  const asOf = question.asOf === undefined ? {} : { asOf: question.asOf };
  const explanation = await dataOf(
    api.POST("/v1/rights/explain", { body: { roleId, right, ...asked, ...asOf }, signal }),
  );
  const all = [...explanation.ways, ...explanation.blocked];
  const memberOf = all.flatMap((way) => "roleId" in way.memberOf ? [way.memberOf] : []);
  const relations = all.flatMap((way) => way.relations.flatMap((each) => "managesId" in each ? [each] : []));
  const passed = relations.flatMap(({ parentRoleId, childRoleId }) => [parentRoleId, childRoleId]);
  const ids = [...new Set([roleId, ...memberOf.map((each) => each.roleId), ...passed])].slice(0, MOST_IDS);
  const whose = asked ?? { userEmail: ownEmail };
  const [roles, { access }] = await Promise.all([
    loadRoles(ids, signal),
    dataOf(api.POST("/v1/access/query", { body: { ...whose, roleId: ids, ...asOf }, signal })),
  ]);
  return {
    question,
    explanation,
    roles,
    names: new Map([
      ...memberOf.map((each) => [each.roleId, each.name] as const),
      ...relations.map(({ childRoleId, name }) => [childRoleId, name] as const),
      ...[...roles].map(([id, { name }]) => [id, name] as const),
    ]),
    rights: new Map(access.map(({ roleId, rights }) => [roleId, rights])),
  };
}

/** Returns the name of the person or key of a question. */
export function nameOfAsked(asked: Asked): string {
  const { why } = texts.value;
  if (asked === undefined) return texts.value.words.you;
  return "userEmail" in asked ? asked.userEmail : why.key(asked.keyId);
}
