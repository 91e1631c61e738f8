/** The dashboard, the alerts and the document of metrics name every metric, and none that does not exist. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { METRICS } from "../../src/core/metrics.ts";
import { isInstalled } from "../helpers/processes.ts";
import { readText, ROOT } from "./project_files.ts";

const RULES = "deploy/metrics/rules.yaml";
const SUFFIXES = { counter: ["_total"], gauge: [""], histogram: ["_bucket", "_count", "_sum"] } as const;

/** The series of all metrics in Prometheus with their labels, by OpenTelemetry's rules for names there. */
const SERIES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(METRICS).flatMap(([name, { kind, unit, labels }]) => {
    const base = underscored(name) + (unit === "s" ? "_seconds" : unit === "By" ? "_bytes" : "");
    const all = [...labels.map(underscored), "job"];
    return SUFFIXES[kind].map((suffix) => [base + suffix, all] as const);
  }),
);
const LABELS: ReadonlySet<string> = new Set(["le", ...[...SERIES.values()].flat()]);

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { expr: string; legendFormat: string }[] }[];
}

function underscored(name: string): string {
  return name.replaceAll(".", "_");
}

function readExpressions(): string[] {
  const { panels }: Dashboard = JSON.parse(readText("deploy/metrics/dashboard.json"));
  const shown = panels.flatMap(({ targets }) => targets.map(({ expr, legendFormat }) => expr + legendFormat));
  return [readText(RULES), ...shown];
}

function matchesOf(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, match = ""]) => match);
}

Deno.test("the dashboard and the alerts name every metric, and none and no label that does not exist", () => {
  const named = new Set<string>();
  for (const text of readExpressions()) {
    for (const [, series = "", selector = ""] of text.matchAll(/\b(rolegrid_\w+)(?:\{(?!\{)([^}]*)\})?/g)) {
      assert.ok(SERIES.has(series) || LABELS.has(series), `no metric becomes ${series}`);
      named.add(series);
      for (const label of matchesOf(selector, /(\w+)!?[=~]/g)) {
        assert.ok(SERIES.get(series)?.includes(label), `${series} has no label ${label}`);
      }
    }
    const grouped = matchesOf(text, /\bby \(([\w, ]+)\)/g).flatMap((list) => list.split(", "));
    const shown = matchesOf(text, /\{\{ ?(?:\$labels\.)?(\w+) ?\}\}/g);
    for (const label of [...grouped, ...shown]) {
      assert.ok(LABELS.has(label), `no metric has a label ${label}`);
    }
  }
  const missing = Object.keys(METRICS).filter((name) =>
    ![...named].some((series) => SERIES.has(series) && series.startsWith(underscored(name)))
  );
  assert.deepEqual(missing, []);
});

Deno.test("docs/observability.md lists every metric with its labels, and no others", () => {
  const [, section = ""] = /^## Metrics\n([^]*?)^## /m.exec(readText("docs/observability.md")) ?? [];
  const listed = section.split(/^(?=- )|\n\n/m).flatMap((item) => {
    const [, name] = /^- `(rolegrid\.[^`]+)`/.exec(item) ?? [];
    const [, labels = ""] = /Labels: ([^]*)/.exec(item) ?? [];
    return name === undefined ? [] : [[name, matchesOf(labels, /`([^`]+)`/g)] as const];
  });
  const metrics = Object.entries(METRICS).map(([name, { labels }]) => [name, [...labels]] as const);
  assert.deepEqual(Object.fromEntries(listed), Object.fromEntries(metrics));
});

Deno.test({
  name: "promtool accepts the alerts",
  ignore: !await isInstalled("promtool"),
  async fn() {
    const args = ["check", "rules", fileURLToPath(new URL(RULES, ROOT))];
    const { success, stderr } = await new Deno.Command("promtool", { args }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
  },
});
