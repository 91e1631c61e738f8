import { countToPrincipal, runForStranger } from "../../src/core/request_scope.ts";

/** Runs a task as a request of a stranger from this network. */
export function asStranger<T>(network: string, task: () => T): T {
  return runForStranger({ networks: () => [network] }, task);
}

/** Runs a task as a request of a caller with this chain, its ids separated by "/". */
export function asCaller<T>(chain: string, task: () => T): T {
  const links = [...chain.split("/"), "me"];
  const chains = {
    of: () => links,
    known: () => Promise.resolve(links),
    note(): void {},
    ofCredential: () => undefined,
  };
  return runForStranger({ networks: () => ["192.0.2.0"], chains }, () => {
    countToPrincipal(1);
    return task();
  });
}
