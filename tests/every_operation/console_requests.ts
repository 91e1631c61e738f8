import { TEST_URL } from "../helpers/test_app.ts";
import type { ListedRequest } from "./request_catalogue.ts";

const OWN = { "Origin": TEST_URL, "Sec-Fetch-Site": "same-origin" };

/** A request for every route of the console, as its page sends them. */
export function consoleRequests(refreshToken: string): ListedRequest[] {
  const open = { accepts: "none" } as const;
  const kept = { ...OWN, "Cookie": `__Host-console=${refreshToken}` };
  return [
    { ...open, route: "GET /console" },
    { ...open, route: "GET /console/*", path: "/console/role" },
    { ...open, route: "GET /console/assets/:file", path: "/console/assets/icon.svg" },
    { accepts: "refresh", route: "PUT /console/session", headers: OWN },
    { ...open, route: "POST /console/session", headers: kept },
    { ...open, route: "DELETE /console/session", headers: kept },
  ];
}
