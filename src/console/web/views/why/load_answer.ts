import { api, dataOf } from "../../api.ts";
import type { components } from "../../openapi_types.ts";
import type { SomeRights } from "../../rights.ts";
import { loadRoles, MOST_IDS } from "../../roles.ts";
import type { Role } from "../../schemas.ts";
import type { RightName } from "../../../../role/rights.ts";

type Schemas = components["schemas"];
type Explanation = Schemas["Explanation"];
/** A way from a membership to the role; of a blocked one also where the right is lost. */
export type Way = Schemas["Way"] & Partial<Omit<Schemas["BlockedWay"], keyof Schemas["Way"]>>;
/** One of the changes that together would give the right. */
export type Fix = Explanation["fix"][number];

/** Whose right it is: an address, or the id of a key. Undefined for whoever asks. */
export type Asked = { readonly userEmail: string } | { readonly keyId: number } | undefined;

/** A question that is complete. */
export interface Question {
  readonly asked: Asked;
  readonly roleId: number;
  readonly right: RightName;
  /** A time of the past (ISO 8601). */
  readonly asOf: string | undefined;
}

/** The answer, and what is known of the roles that it names. */
export interface Answer {
  readonly question: Question;
  readonly explanation: Explanation;
  /** Those that whoever asks sees. */
  readonly roles: ReadonlyMap<number, Role>;
  /** What the person may do on each of them, as far as whoever asks may know. */
  readonly rights: ReadonlyMap<number, SomeRights>;
}

/** Asks the service. `ownEmail` is the address of whoever asks. */
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
  const ids = [...new Set([roleId, ...rolesOf(explanation)])].slice(0, MOST_IDS);
  const whose = asked ?? { userEmail: ownEmail };
  const [roles, { access }] = await Promise.all([
    loadRoles(ids, signal),
    dataOf(api.POST("/v1/access/query", { body: { ...whose, roleId: ids, ...asOf }, signal })),
  ]);
  return {
    question,
    explanation,
    roles,
    rights: new Map(access.map(({ roleId, rights }) => [roleId, rights])),
  };
}

/** The roles that an explanation names. */
function rolesOf({ ways, blocked }: Explanation): number[] {
  return [...ways, ...blocked].flatMap(({ memberOf, relations }) => [
    ...("roleId" in memberOf ? [memberOf.roleId] : []),
    ...relations.flatMap((relation) =>
      "managesId" in relation ? [relation.parentRoleId, relation.childRoleId] : []
    ),
  ]);
}
