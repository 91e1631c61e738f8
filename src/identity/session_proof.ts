import { secondFactor, type session } from "../db/schema/identity.ts";
import { quoted, row, type SQL, sql, type Value, type ValuesBy } from "../db/sql.ts";
import type { FactorKind } from "./factors.ts";

/**
 * What a session has proved: `methods`, what was shown since the sign-in, and `meets`, the highest demand of a role for
 * a second factor that this met. A factor that its owner has not confirmed by mail meets none: a thief of the password
 * could have enrolled it.
 */

/** The bits of `session.methods`. */
export const SHOWN = {
  password: 1,
  /** A code: of an app, by mail, or for recovery. */
  code: 2,
  passkey: 4,
  /** The authenticator of the passkey verified its user, so that it stands for both factors. */
  verifiedUser: 8,
} as const;

/** The levels of demands, in `session.meets`, `second_factor.meets` and `passkey.meets`. */
export const DEMAND_LEVELS = { none: 0, required: 1, "phishing-resistant": 2 } as const;

/** The authentication context class (`acr`) of a session by the demand that it meets; none for 0. */
export const ACR_VALUES = ["aal2", "phr"] as const;
export type Acr = (typeof ACR_VALUES)[number];

/** The demands that a session meets. */
export type Meets = 0 | 1 | 2;

/** Returns the claim `acr` of a session that meets a demand. */
export function acrOf(meets: Meets): Acr | undefined {
  return ACR_VALUES[meets - 1];
}

/** Returns the claim `amr` (RFC 8176) of a session with these methods. */
export function amrOf(methods: number): string[] {
  return [
    ...(methods & SHOWN.password ? ["pwd"] : []),
    ...(methods & SHOWN.code ? ["otp"] : []),
    ...(methods & SHOWN.passkey ? ["pop"] : []),
    ...(methods & SHOWN.verifiedUser ? ["user", "mfa"] : []),
  ];
}

/** What proof of a factor adds to a session. */
export interface Proven {
  /** A mask of `SHOWN`. */
  readonly methods: Value;
  readonly meets: Value;
}

/** Returns what a code of a factor of this kind proves. */
export function provenByCode(kind: FactorKind, user: Value): Proven {
  const proving = row(secondFactor, "proving");
  return {
    methods: SHOWN.code,
    meets: sql`coalesce((SELECT ${proving.meets} FROM ${proving}
      WHERE ${proving.userId} = ${user} AND ${proving.kind} = ${quoted(kind)}), 0)`,
  };
}

/** Returns the values of a session that has shown more. */
export function raised(
  { methods, meets }: typeof session,
  proven: Proven,
): Pick<ValuesBy<typeof session>, "assuranceLevel" | "methods" | "meets"> {
  return {
    assuranceLevel: 2,
    methods: sql`${methods} | ${proven.methods}`,
    meets: sql`max(${meets}, ${proven.meets})`,
  };
}

/** The proof of a factor, besides the password of the sign-in. */
export function withPassword({ methods }: Proven): SQL {
  return sql`${SHOWN.password} | ${methods}`;
}
