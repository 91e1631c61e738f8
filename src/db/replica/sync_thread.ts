import type { SyncCall, SyncReply } from "./sync_worker.ts";

/**
 * The thread on which a copy follows its primary. The driver blocks while it does, for as long as the primary does not
 * respond, and a thread inside the driver cannot be ended: it goes on after `end`, until the driver returns.
 */
export interface SyncThread {
  /** Runs a call after the earlier ones. Throws what the driver throws. */
  call(call: SyncCall): Promise<number | undefined>;
  end(): void;
}

export function startSyncThread(): SyncThread {
  const worker = new Worker(new URL("./sync_worker.ts", import.meta.url), { type: "module" });
  /** Calls without a reply, oldest first. */
  const pending: PromiseWithResolvers<number | undefined>[] = [];
  worker.onmessage = ({ data }: MessageEvent<SyncReply>): void => {
    const call = pending.shift();
    if ("error" in data) call?.reject(new Error(data.error));
    else call?.resolve(data.frame);
  };
  // The native module does not load, say.
  worker.onerror = (event): void => {
    event.preventDefault();
    for (const call of pending.splice(0)) call.reject(new Error(event.message));
  };
  return {
    call(call): Promise<number | undefined> {
      const reply = Promise.withResolvers<number | undefined>();
      pending.push(reply);
      worker.postMessage(call);
      return reply.promise;
    },
    end: () => worker.terminate(),
  };
}
