import { startOtlpReceiver } from "../tests/http/otlp.ts";
import { freePort } from "../tests/helpers/sqld.ts";
import { startServer } from "./bench_process.ts";
import { openProductionService } from "../tests/helpers/production_service.ts";
import { seedService } from "./bench_service.ts";
import { type Benchmark, type BenchmarkResult, figure, ratio } from "./benchmark.ts";
import { checkOf } from "./http_load.ts";
import { type LoadRounds, runInTurn } from "./load_rounds.ts";
import { summarize } from "./statistics.ts";

const ROUNDS = 7;
const SECONDS = 2;
const CONNECTIONS = 16;

/** What metrics cost a check over HTTP, with the runtime's own, exported to a receiver that keeps them. */
export const METRICS_BENCH: Benchmark = {
  name: "metrics",
  summary: "A check over HTTP with metrics, and with traces, too, compared with neither",
  async run(note): Promise<BenchmarkResult[]> {
    await using receiver = startOtlpReceiver();
    await using prepared = await openProductionService("file");
    const { hierarchy, rows } = await seedService(prepared, { seed: 1, levels: 3 });
    const { env, port, accessToken: token } = prepared;
    // The usual intervals.
    const exporting = {
      ...env,
      ...receiver.env,
      OTEL_BSP_SCHEDULE_DELAY: "5000",
      OTEL_METRIC_EXPORT_INTERVAL: "10000",
    };
    const [measuredPort, tracedPort] = [freePort(), freePort()];
    note("starting the servers");
    await using plain = await startServer({ script: "main.ts", env, port });
    await using measured = await startServer({
      script: "main.ts",
      env: { ...exporting, OTEL_DENO_TRACING: "false" },
      port: measuredPort,
    });
    await using traced = await startServer({ script: "main.ts", env: exporting, port: tracedPort });
    const check = checkOf(hierarchy.levels.at(-1)?.[500]);
    const order = { token, connections: CONNECTIONS, seconds: SECONDS, ...check };
    const [without, withMetrics, withTraces] = await runInTurn([
      { name: "neither", order: { ...order, port }, pid: plain.pid },
      { name: "metrics", order: { ...order, port: measuredPort }, pid: measured.pid },
      { name: "metrics and traces", order: { ...order, port: tracedPort }, pid: traced.pid },
    ], { rounds: ROUNDS, note }) as [LoadRounds, LoadRounds, LoadRounds];
    const processor = ({ processorMs }: LoadRounds) => summarize(processorMs);
    const perSecond = ({ perSecond }: LoadRounds) => summarize(perSecond);
    return [{
      input:
        `${rows.roles} roles on a file, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s each in turn`,
      figures: [
        figure("check, processor time", "ms", processor(without)),
        figure("check with metrics, processor time", "ms", processor(withMetrics)),
        ratio("with metrics / without, processor time", "ms", [processor(withMetrics), processor(without)], {
          atMost: 1.2,
        }),
        ratio("with metrics / without", "requests/s", [perSecond(withMetrics), perSecond(without)]),
        ratio("with metrics and traces / without, processor time", "ms", [
          processor(withTraces),
          processor(without),
        ]),
      ],
    }];
  },
};
