import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { ADMIN, ADMIN_PASSWORD } from "../every_operation/request_catalogue.ts";
import { isInstalled } from "../helpers/processes.ts";
import { createRoot, withServer } from "./serve_app.ts";

/** OpenAPI Generator, which has clients for some fifty languages. CI installs it from `python_requirements.txt`. */
const GENERATOR = "openapi-generator-cli";
const hasGenerator = await isInstalled(GENERATOR);
if (!hasGenerator) {
  await Deno.stderr.write(
    new TextEncoder().encode(`Tests of a generated Python client are ignored: there is no ${GENERATOR}\n`),
  );
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}

/** Runs a program, and returns what it printed. */
async function run(program: string, args: readonly string[], env: Record<string, string>): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args: [...args], env }).output();
  const [printed, complaint] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)) as [
    string,
    string,
  ];
  assert.ok(success, `${program} failed:\n${complaint.slice(-4000)}`);
  return printed;
}

async function generatePythonClient(output: string): Promise<void> {
  const parts = "models,apis,supportingFiles,modelDocs=false,apiDocs=false,modelTests=false,apiTests=false";
  const options = ["-g", "python", "--package-name", "rolegrid", "--global-property", parts, "-o", output];
  // The generator runs for a few seconds only, in which the better compiler of Java would not pay off.
  const env = { JAVA_TOOL_OPTIONS: "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" };
  await run(GENERATOR, ["generate", "-i", pathOf("../../openapi.json"), ...options], env);
}

Deno.test({
  name: "a Python client of openapi-generator logs in and works with a served app",
  ignore: !hasGenerator,
  async fn() {
    const dir = await Deno.makeTempDir();
    try {
      await generatePythonClient(dir);
      await run("python3", ["-m", "compileall", "-q", `${dir}/rolegrid`], {});
      await withServer(async (target, baseUrl) => {
        const roleId = await createRoot(target);
        const args = [pathOf("use_python_client.py"), baseUrl, ADMIN, ADMIN_PASSWORD, String(roleId)];
        assert.deepEqual(JSON.parse(await run("python3", args, { PYTHONPATH: dir })), {
          role: "Energy Inc",
          members: [ADMIN],
          error: ["ForbiddenException", "ApiError", 403],
          removed: null,
          setAt: null,
          device: ["meter-1", { floor: 3 }, true],
          cells: [1.5, "eco"],
          preview: [null, 1, "eva@example.com"],
          explanation: [false, true, true, true],
          access: [ADMIN, "eva@example.com", "Gateway"],
          reached: [true],
          changes: [
            ["role.bootstrap", ADMIN],
            ["role.password_removed", ADMIN],
            ["device.create", ADMIN],
            ["member.add", ADMIN],
            ["key.create", ADMIN],
          ],
          decision: true,
        });
      });
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
});
