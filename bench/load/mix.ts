/** Requests of each kind per 1000. Few are logins, which are slow and rare. */
export const MIX = {
  "login": 5,
  "token refresh": 10,
  "access token": 20,
  "role query": 350,
  "rights check": 350,
  "relation change": 100,
  "member change": 10,
  "telemetry write": 80,
  "telemetry query": 75,
} as const;

export type RequestKind = keyof typeof MIX;

export const KINDS = Object.keys(MIX) as readonly RequestKind[];

const TOTAL = KINDS.reduce((sum, kind) => sum + MIX[kind], 0);

/** The kind for a random number from 0 up to 1. */
export function chooseKind(random: number): RequestKind {
  let left = random * TOTAL;
  for (const kind of KINDS) {
    left -= MIX[kind];
    if (left < 0) return kind;
  }
  return "role query";
}

/** A description of the mix. */
export function describeMix(): string {
  return KINDS.map((kind) => `${MIX[kind] / 10}% ${kind}`).join(", ");
}
