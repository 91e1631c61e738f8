import { ADMIN, ADMIN_PASSWORD } from "../every_operation/request_catalogue.ts";
import { serveLocally } from "../helpers/raw_http.ts";
import { openTestApp, type TestApp } from "../helpers/test_app.ts";

/** Serves the app on a free port. */
export async function withServer(use: (target: TestApp, baseUrl: string) => Promise<void>): Promise<void> {
  await using target = await openTestApp("file");
  await using server = serveLocally(target.app);
  await use(target, `http://127.0.0.1:${server.addr.port}`);
}

/** Creates a root role whose administrator has a password, and returns the id of the role. */
export async function createRoot(target: TestApp): Promise<number> {
  const { userId, roleId } = await target.bootstrapRoot(ADMIN, "Energy Inc");
  await target.setPassword(userId, ADMIN_PASSWORD);
  return roleId;
}
