/** A .env file is read by name and value, and a wrong line is refused by its number. */
import assert from "node:assert/strict";
import { parseEnvFile } from "../../scripts/lib/env_file.ts";
import { TaskError } from "../../scripts/lib/run_task.ts";

Deno.test("a .env file gives names and values without comments, quotes and surrounding spaces", () => {
  const text = [
    "\uFEFF# the service",
    "PORT=8001",
    "export HOST = 0.0.0.0   # everywhere",
    "",
    `TOKEN_KEYS='{"keys":[{"kty":"OKP"}]}'`,
    `ADMIN_PASSWORD="  it's a # sentence \\n "`,
    "ISSUER_NAME=`a \"b\" 'c'`",
    "SECRET_KEYS=a:AAA=,b:BBB==\r",
    "MAIL_URL=",
  ].join("\n");
  assert.deepEqual(parseEnvFile(text), {
    PORT: "8001",
    HOST: "0.0.0.0",
    TOKEN_KEYS: '{"keys":[{"kty":"OKP"}]}',
    ADMIN_PASSWORD: "  it's a # sentence \\n ",
    ISSUER_NAME: "a \"b\" 'c'",
    SECRET_KEYS: "a:AAA=,b:BBB==",
    MAIL_URL: "",
  });
});

for (const line of ["just words", "1A=2", "=x", "A='open", 'A="b" c', "A='b'c"]) {
  Deno.test(`a .env line like ${line} is refused with its number and not repeated`, () => {
    assert.throws(() => parseEnvFile(`OK=1\n${line}`), (error) => {
      assert.ok(error instanceof TaskError);
      assert.match(error.message, /^Line 2 of \.env must be NAME=value/);
      assert.ok(!error.message.includes(line));
      return true;
    });
  });
}
