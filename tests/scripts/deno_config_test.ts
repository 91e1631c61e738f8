/** Code and tests share the versions of packages and the rules for checks, lint and format. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

/** The compared part of a deno.json. */
interface Config {
  readonly imports: Readonly<Record<string, string>>;
  readonly compilerOptions: unknown;
  readonly fmt: { readonly lineWidth: number };
  readonly lint: { readonly rules: unknown };
}

interface Lock {
  readonly npm: Readonly<Record<string, { readonly integrity: string }>>;
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(new URL(`../../${path}`, import.meta.url), "utf8"));
}

Deno.test("tests use the same versions of the service's packages as the service", async () => {
  const service = await readJson<Config>("deno.json");
  const tests = await readJson<Config>("tests/deno.json");
  for (const [name, specifier] of Object.entries(service.imports)) {
    assert.equal(tests.imports[name], specifier, name);
  }
});

Deno.test("tests use the same versions of indirect packages as the service", async () => {
  const service = packagesOf(await readJson<Lock>("deno.lock"));
  const tests = packagesOf(await readJson<Lock>("tests/deno.lock"));
  for (const [name, integrity] of service) assert.equal(tests.get(name), integrity, name);
});

Deno.test("code and tests share the rules for checks, lint and format", async () => {
  const rulesOf = ({ compilerOptions, fmt, lint }: Config): unknown => [
    compilerOptions,
    fmt.lineWidth,
    lint.rules,
  ];
  const service = rulesOf(await readJson<Config>("deno.json"));
  assert.deepEqual(rulesOf(await readJson<Config>("tests/deno.json")), service);
});

/** Hashes by name and version. The part of a key after an underscore lists the peers that it is installed with. */
function packagesOf({ npm }: Lock): Map<string, string> {
  return new Map(Object.entries(npm).map(([key, { integrity }]) => [key.replace(/_.*/, ""), integrity]));
}
