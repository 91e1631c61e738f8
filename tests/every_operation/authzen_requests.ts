import type { ListedRequest } from "./request_catalogue.ts";

/**
 * The operation for proxies: of any method, with a 403 for a malformed question, and without a body, also of errors.
 * `tests/authzen/forward_test.ts` tests it.
 */
export const FOR_PROXIES = "GET /access/v1/forward";

/**
 * A successful request for every operation of the Authorization API. Unlike others they ignore unknown fields, and another
 * content type is malformed: `tests/authzen` covers wrong bodies.
 */
export function authzenRequests(
  { email, roleId }: { readonly email: string; readonly roleId: number },
): ListedRequest[] {
  const subject = { type: "user", id: email };
  const resource = { type: "role", id: String(roleId) };
  const action = { name: "member" };
  const asks = { accepts: "access or key", ownBody: true } as const;
  return [
    { ...asks, route: "POST /access/v1/evaluation", body: { subject, action, resource } },
    { ...asks, route: "POST /access/v1/evaluations", body: { subject, action, evaluations: [{ resource }] } },
    {
      ...asks,
      route: "POST /access/v1/search/subject",
      body: { subject: { type: "user" }, action, resource },
    },
    {
      ...asks,
      route: "POST /access/v1/search/resource",
      body: { subject, action, resource: { type: "role" } },
    },
    { ...asks, route: "POST /access/v1/search/action", body: { subject, resource } },
    { accepts: "access or key", route: FOR_PROXIES, query: `right=member&roleId=${roleId}` },
    { accepts: "none", route: "GET /.well-known/authzen-configuration" },
  ];
}
