/** A request to a server, as it was sent. */
export interface SentRequest {
  /** Null: it opens a stream. */
  readonly baton: string | null;
  /** What it asks for: `execute`, `batch`, `close`. */
  readonly types: readonly string[];
  /** Number of statements of its batch, with those that begin and end the transaction. */
  readonly steps: number;
}

/** A `fetch` that keeps account of its requests. */
export function recordStreams(
  send: typeof fetch = fetch,
): { readonly fetch: typeof fetch; readonly sent: readonly SentRequest[] } {
  const sent: SentRequest[] = [];
  return {
    sent,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { baton = null, requests }: {
        baton?: string | null;
        requests: { type: string; batch?: { steps: unknown[] } }[];
      } = await request.clone().json();
      const batch = requests.find(({ batch }) => batch !== undefined)?.batch;
      sent.push({ baton, types: requests.map(({ type }) => type), steps: batch?.steps.length ?? 0 });
      return await send(request);
    },
  };
}
