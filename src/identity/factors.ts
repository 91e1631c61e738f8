/**
 * The second factors, the source of their kinds for statements, login, administrator, import rules and console. Areas
 * below cannot import it; the compiler compares it with their `NAMED_FACTORS` (mails) and `LOGIN_METHODS` (errors).
 * Each kind has a folder of the same name in `accounts/factors/`.
 */

interface SecondFactor {
  /** Its name in the interface. */
  readonly name: string;
  /** Whether it is a factor of its own. Recovery codes only stand in for a lost one. */
  readonly isMain: boolean;
  /** The highest demand of a role that it meets (`DEMAND_LEVELS`). A mailbox is one factor already. */
  readonly meets: 0 | 1 | 2;
  /** The column for its secret or address during a setup. */
  readonly pending?: string;
  /** The columns filled by an activation (the first from `pending`) and emptied by a deactivation. */
  readonly active?: readonly [string, ...string[]];
}

/** By kind, in the order of the interface: the most convenient first. */
export const FACTORS = {
  /** An account may have several, in a table of their own. */
  passkey: { name: "passkey", isMain: true, meets: 2 },
  totp: {
    name: "totp",
    isMain: true,
    meets: 1,
    pending: "pendingSealedSecret",
    active: ["sealedSecret", "lastStep"],
  },
  email_otp: { name: "emailOtp", isMain: true, meets: 0, pending: "pendingEmail", active: ["email"] },
  recovery_code: { name: "recoveryCode", isMain: false, meets: 0 },
} as const satisfies Readonly<Record<string, SecondFactor>>;

type Factors = typeof FACTORS;
/** The kinds whose entries have the type `T`. */
type KindWith<T> = { [K in FactorKind]: Factors[K] extends T ? K : never }[FactorKind];

export type FactorKind = keyof Factors;
export type MainFactor = KindWith<{ readonly isMain: true }>;
/** A factor with a setup before its activation. */
export type SetUpFactor = KindWith<{ readonly pending: string }>;
/** The name of a factor in the interface. */
export type Method = Factors[FactorKind]["name"];

export const FACTOR_KINDS = Object.keys(FACTORS) as readonly FactorKind[];
export const MAIN_FACTORS: readonly MainFactor[] = FACTOR_KINDS.filter(isMain);
/** The name of a main factor in the interface. */
export type MainMethod = Factors[MainFactor]["name"];
export const MAIN_METHODS: readonly MainMethod[] = MAIN_FACTORS.map((kind) => FACTORS[kind].name);
export const METHODS: readonly Method[] = FACTOR_KINDS.map((kind) => FACTORS[kind].name);

function isMain(kind: FactorKind): kind is MainFactor {
  return FACTORS[kind].isMain;
}
