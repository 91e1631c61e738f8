/** Codes of an independent program are accepted. */
import assert from "node:assert/strict";
import { toBase32 } from "../../../src/core/encoding.ts";
import { succeed } from "../../helpers/http.ts";
import { isInstalled } from "../../helpers/processes.ts";
import { activateTotp, createAda, type Tokens } from "../../helpers/second_factors.ts";
import { openTestApp } from "../../helpers/test_app.ts";

Deno.test({
  name: "codes of the independent program oathtool are accepted",
  // Part of the Debian package "oathtool", which CI installs.
  ignore: !await isInstalled("oathtool"),
  async fn() {
    await using target = await openTestApp("file");
    const { accessToken } = await createAda(target);
    const { app } = await activateTotp(target, accessToken);
    const { sudoToken } = await succeed<Tokens>(target, "POST", "/user/2fa/totp/authenticate", {
      token: accessToken,
      body: { totp: await oathtool(app.secret, target.clock.now()) },
    });
    assert.ok(sudoToken);
  },
});

async function oathtool(secret: Uint8Array, nowMs: number): Promise<string> {
  const now = new Date(nowMs).toISOString().replace("T", " ").replace(/\..*$/, " UTC");
  const args = ["--totp", "--base32", `--now=${now}`, toBase32(secret)];
  const { stdout } = await new Deno.Command("oathtool", { args }).output();
  return new TextDecoder().decode(stdout).trim();
}
