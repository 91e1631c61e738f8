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

/** Returns the chain of the sessions of a network, whose tokens are genuine but name no account. */
export function chainOfSessions(networks: readonly string[]): Chain {
  return ["sessions", ...networks];
}

/** Returns the chain of an account or key: by what its membership stores; undefined without a living one. */
export function chainOfPrincipal(principalId: number, stored: string | undefined): Chain {
  return [...stored?.split("/") ?? ["guests"], `principal ${principalId}`];
}
