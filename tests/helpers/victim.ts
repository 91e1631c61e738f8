import type { VictimOrder, VictimReport } from "./victim_worker.ts";

/** A user who reads their account all the time, and now and then changes a role of their own. */
export interface Victim extends Disposable {
  /** What they met while this went on. */
  during(what: () => Promise<void>): Promise<VictimReport>;
}

export function startVictim(order: VictimOrder): Victim {
  const worker = new Worker(new URL("victim_worker.ts", import.meta.url), { type: "module" });
  worker.postMessage(order);
  return {
    async during(what): Promise<VictimReport> {
      worker.postMessage("begin");
      await what();
      const report = new Promise<VictimReport>((resolve) => {
        worker.onmessage = ({ data }: MessageEvent<VictimReport>): void => resolve(data);
      });
      worker.postMessage("end");
      return await report;
    },
    [Symbol.dispose]: () => worker.terminate(),
  };
}
