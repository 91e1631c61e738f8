import { FACTORS } from "../../src/identity/factors.ts";

/**
 * The areas under src/, lowest first. An area imports only from lower layers, never within its layer. Add a new area
 * here first.
 */
const LAYERS: readonly (readonly string[])[] = [
  ["core"],
  ["db", "http", "mail"],
  ["throttle"],
  ["identity"],
  ["graph"],
  ["changes"],
  ["role", "accounts/password"],
  ["key", "ending"],
  ["accounts/own", "accounts/address", ...Object.keys(FACTORS).map((kind) => `accounts/factors/${kind}`)],
  ["device"],
  ["lists"],
  ["explain"],
  ["telemetry", "authzen", "undo", "console", "transfer"],
  ["purge"],
  ["service"],
];

/** Allowed imports within a layer: the outbox is a table. */
const WITHIN_LAYER: ReadonlySet<string> = new Set(["mail -> db"]);

const ORDER = LAYERS.map((layer) => layer.join(", ")).join(" <- ");

/** Libraries restricted to some files of the program, by package name. Tests may import all. */
const LIBRARY_HOMES: readonly { packages: RegExp; home: RegExp; advice: string }[] = [
  {
    packages: /^drizzle-orm$/,
    home: /^src\/db\/(schema\/.+|(sql|builder)\.ts)$/,
    advice: "Write the query with src/db/builder.ts or src/db/sql.ts",
  },
  {
    packages: /^(hono|hono-openapi|@hono\/.+)$/,
    home:
      /^src\/(http\/.+|app\.ts|service\/serve\.ts)$|^src\/.+\/(\w+_)?(routes|guards|middleware)\.ts$|^src\/console\/\w+_page\.tsx$/,
    advice:
      "Put what handles requests into routes.ts, *_routes.ts, guards.ts, *_middleware.ts or src/http/, " +
      "and give the rest plain values",
  },
];

/** The console's application runs in browsers, and shares only pure modules with the service. */
const WEB = "src/console/web/";
const PURE: ReadonlySet<string> = new Set([
  "src/core/domain.ts",
  "src/core/email.ts",
  "src/core/json_numbers.ts",
  "src/core/json_scan.ts",
  "src/core/text.ts",
  "src/identity/factors.ts",
  "src/identity/security_result.ts",
  "src/graph/rights.ts",
  "src/changes/log_words.ts",
  "src/console/demo_people.ts",
]);
const WEB_PACKAGES = /^(preact|@preact\/signals|openapi-fetch|@dagrejs\/dagre|uplot)$/;

const ROOT = new URL("../../", import.meta.url);

interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
  /** Path of the imported file from the project's root, for a relative specifier. */
  readonly target: string | undefined;
}

interface Problem {
  readonly message: string;
  readonly hint: string;
}

type ImportCheck = (file: string, imported: Import) => Problem | undefined;

/** The project's import rules: the direction of imports, and which files may use a library or the environment. */
const plugin: Deno.lint.Plugin = {
  name: "rolegrid",
  rules: {
    "import-direction": ruleForImports(checkDirection),
    "import-app-level": ruleForImports(checkAppLevel),
    "import-library": ruleForImports(checkLibrary),
    "import-web": ruleForImports(checkWeb),
    "import-specifier": ruleForImports(checkSpecifier),
    "environment": { create: visitEnvironment },
  },
};

export default plugin;

function checkDirection(file: string, { target }: Import): Problem | undefined {
  if (file.startsWith("tests/") && target?.startsWith("bench/")) {
    return { message: "Tests must not import from bench/", hint: "Move what both need to tests/helpers/" };
  }
  const from = areaOf(file);
  const to = areaOf(target);
  if (from === undefined || to === undefined || from === to) return undefined;
  const fromLayer = layerOf(from);
  const toLayer = layerOf(to);
  if (fromLayer === -1 || toLayer === -1) {
    const unknown = fromLayer === -1 ? from : to;
    return {
      message: `The area "${unknown}" has no place in the order of imports`,
      hint: "Add it to LAYERS in scripts/lint/import_plugin.ts",
    };
  }
  if (toLayer < fromLayer || WITHIN_LAYER.has(`${from} -> ${to}`)) return undefined;
  const reason = toLayer === fromLayer ? "stands beside it" : "stands above it";
  return {
    message: `"${from}" must not import from "${to}", which ${reason}`,
    hint: `Imports go one way: ${ORDER}. Move what both need to a lower area, or hand it in as a dependency`,
  };
}

function checkAppLevel(file: string, { target }: Import): Problem | undefined {
  if (target === undefined) return undefined;
  const area = areaOf(file);
  if (target === "src/app.ts" && file.startsWith("src/") && area !== "service") {
    return {
      message: "Only main.ts, src/service/, scripts and tests import src/app.ts",
      hint: "The app puts the areas together: take what is needed as a dependency instead",
    };
  }
  if (area === undefined || area === "service" || areaOf(target) !== undefined || target.endsWith(".json")) {
    return undefined;
  }
  return {
    message: `An area must not import ${target}, which stands above all areas`,
    hint: "Move what is needed into the area or a lower one, or hand it in as a dependency",
  };
}

function checkLibrary(file: string, { specifier }: Import): Problem | undefined {
  if (/^(bench|tests)\//.test(file)) return undefined;
  const name = packageName(specifier);
  for (const { packages, home, advice } of LIBRARY_HOMES) {
    if (packages.test(name) && !home.test(file)) {
      return { message: `${file} must not import "${name}"`, hint: advice };
    }
  }
  return undefined;
}

function checkWeb(file: string, { specifier, target }: Import): Problem | undefined {
  if (!file.startsWith("src/")) return undefined;
  const isWeb = file.startsWith(WEB);
  const isOfWeb = target === undefined
    ? WEB_PACKAGES.test(packageName(specifier))
    : target.startsWith(WEB) || (isWeb && PURE.has(target));
  if (isWeb !== isOfWeb) {
    return {
      message: `${file} must not import "${specifier}"`,
      hint: `${WEB} runs in browsers, and imports its own files and packages, and ${[...PURE].join(", ")}; ` +
        "the service imports none of its files",
    };
  }
  if (!PURE.has(file) || PURE.has(target ?? "")) return undefined;
  return {
    message: `${file} must not import "${specifier}", because browsers load it, too`,
    hint: "Put what needs it into another file",
  };
}

function checkSpecifier(_file: string, { specifier }: Import): Problem | undefined {
  const relative = /^\.\.?\//.test(specifier);
  if (relative && /\.(tsx?|json)$/.test(specifier)) return undefined;
  if (!relative && !/^(\/|file:|[@~#]\/|bench\/|src\/|scripts\/|tests\/)/.test(specifier)) return undefined;
  return {
    message: `"${specifier}" is not how files of this project are imported`,
    hint: 'Write the relative path with its ending, as in "../core/clock.ts"',
  };
}

/**
 * Reports access to the environment. Configuration is read once, at the start, so that other code runs with any
 * configuration.
 */
function visitEnvironment(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  const file = projectPath(context.filename);
  if (file === undefined || file === "main.ts" || /^(bench|scripts|tests|examples)\//.test(file)) return {};
  return {
    MemberExpression(node): void {
      if (!/^(globalThis\.)?(Deno|process)(\.env|\["env"\])$/.test(context.sourceCode.getText(node))) return;
      context.report({
        node,
        message: "Only main.ts and scripts read the environment",
        hint: "Add the variable to src/service/config.ts and take its value as a dependency",
      });
    },
  };
}

function ruleForImports(check: ImportCheck): Deno.lint.Rule {
  return { create: (context) => visitImports(context, check) };
}

/** Runs a check on all forms of import: static, dynamic, re-export and import of a type. */
function visitImports(context: Deno.lint.RuleContext, check: ImportCheck): Deno.lint.LintVisitor {
  const file = projectPath(context.filename);
  if (file === undefined) return {};
  const visit = (node: Deno.lint.Node, specifier: unknown, typeOnly: boolean): void => {
    if (typeof specifier !== "string") return;
    const problem = check(file, { specifier, typeOnly, target: resolve(file, specifier) });
    if (problem !== undefined) context.report({ node, ...problem });
  };
  return {
    ImportDeclaration: (node) => visit(node, node.source.value, node.importKind === "type"),
    ExportAllDeclaration: (node) => visit(node, node.source.value, node.exportKind === "type"),
    ExportNamedDeclaration: (node) => visit(node, node.source?.value, node.exportKind === "type"),
    ImportExpression: (node) => visit(node, literalOf(node.source), false),
    TSImportType: (node) => visit(node, literalOf(node.argument), true),
  };
}

function literalOf(node: Deno.lint.Node): unknown {
  if (node.type === "TSLiteralType") return literalOf(node.literal);
  return node.type === "Literal" ? node.value : undefined;
}

/** Returns the path from the project's root; undefined for a file outside it. */
function projectPath(filename: string): string | undefined {
  const url = new URL(filename.startsWith("/") ? `file://${filename}` : filename, ROOT);
  return url.href.startsWith(ROOT.href) ? url.href.slice(ROOT.href.length) : undefined;
}

function resolve(file: string, specifier: string): string | undefined {
  return /^\.\.?\//.test(specifier) ? projectPath(new URL(specifier, new URL(file, ROOT)).href) : undefined;
}

/**
 * Returns a file's area: the folder directly under src/, src/accounts/ or src/accounts/factors/. Undefined for files elsewhere and
 * those of src/ itself.
 */
function areaOf(path: string | undefined): string | undefined {
  return /^src\/(accounts\/factors\/[^/]+|accounts\/[^/]+|[^/]+)\//.exec(path ?? "")?.[1];
}

function layerOf(area: string): number {
  return LAYERS.findIndex((layer) => layer.includes(area));
}

/** Returns the package of a specifier: scope kept; `npm:`, version and subpath dropped. */
function packageName(specifier: string): string {
  return /^(?:npm:\/?)?((?:@[^/@]+\/)?[^/@]+)/.exec(specifier)?.[1] ?? specifier;
}
