/** The name of a browser in the list of sessions. */
import assert from "node:assert/strict";
import { readClient } from "../../src/console/web/views/account/client_name.ts";

/** What browsers send, as their makers document it. */
const CLIENTS: Readonly<Record<string, string>> = {
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36":
    "Chrome, Windows",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0":
    "Edge, Windows",
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36":
    "Samsung Internet, Android",
  "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0": "Firefox, Linux",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1":
    "Safari, iPhone",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15":
    "Safari, macOS",
};

Deno.test("a browser and its system are recognized by the user agent", () => {
  for (const [userAgent, name] of Object.entries(CLIENTS)) {
    const { browser, system } = readClient(userAgent) ?? {};
    assert.equal(`${browser}, ${system}`, name);
  }
});

Deno.test("the user agent of another program is not taken for a browser", () => {
  for (
    const userAgent of [
      "",
      "curl/8.5.0",
      "Operator task",
      "Chrome/131.0 on Windows",
      "Mozilla/5.0 (Windows NT",
    ]
  ) {
    assert.equal(readClient(userAgent), undefined);
  }
});
