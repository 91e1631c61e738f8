/**
 * Where a request comes from, by which shares are divided: who brought whom, from a root's direct guest down to the
 * caller (`member.chain`), or the networks of a stranger, the largest first.
 */
export type Chain = readonly string[];

/** The chain of work that no request asked for, such as jobs. */
export const OWN_WORK: Chain = ["service"];

/** Returns the chain of a caller whom no token, code, link or password has identified. */
export function chainOfStranger(networks: readonly string[]): Chain {
  return ["strangers", ...networks];
}

/** Returns the chain of a session, whose token is genuine but names no account. */
export function chainOfSession(networks: readonly string[], credential: string): Chain {
  return ["sessions", ...networks, credential];
}

/** Returns the chain of an account or key until that of its membership is read. */
export function chainOfUnknown(principalId: number): Chain {
  return ["unknown", `principal ${principalId}`];
}

/** Returns the chain of an account or key: by what its membership stores; undefined without a living one. */
export function chainOfPrincipal(principalId: number, stored: string | undefined): Chain {
  return [...stored?.split("/") ?? ["guests"], `principal ${principalId}`];
}

/** Returns the branch that a chain belongs to: that of a root, or for others their own. */
export function branchOf(chain: Chain): string {
  const [top = ""] = chain;
  return /^\d+:/.test(top) ? top : chain.at(-1) ?? top;
}
