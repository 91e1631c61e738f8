/**
 * The second factors. Statements, the login, the administrator's actions, the import rules and the console take the kinds
 * from this table. Areas below cannot import it: the compiler compares it with `NAMED_FACTORS` of the mails and
 * `LOGIN_METHODS` of the errors. A kind is also the name of a folder in `second_factor/`.
 */

interface SecondFactor {
  /** Its name in the interface. */
  readonly name: string;
  /** Whether it is a factor in its own right. Recovery codes only stand in for a lost one. */
  readonly isMain: boolean;
  /** The column of `second_factor` that holds its secret or address during a setup. */
  readonly pending?: string;
  /** The columns that an activation fills, the first one from `pending`, and a deactivation empties. */
  readonly active?: readonly [string, ...string[]];
}

/** By kind, in the order in which the interface lists them: the most convenient first. */
export const FACTORS = {
  totp: {
    name: "totp",
    isMain: true,
    pending: "pendingSealedSecret",
    active: ["sealedSecret", "lastStep"],
  },
  email_otp: { name: "emailOtp", isMain: true, pending: "pendingEmail", active: ["email"] },
  recovery_code: { name: "recoveryCode", isMain: false },
} as const satisfies Readonly<Record<string, SecondFactor>>;

type Factors = typeof FACTORS;
/** The kinds whose rows of the table have this. */
type KindWith<T> = { [K in FactorKind]: Factors[K] extends T ? K : never }[FactorKind];

export type FactorKind = keyof Factors;
export type MainFactor = KindWith<{ readonly isMain: true }>;
/** A factor that is set up before it is activated. */
export type SetUpFactor = KindWith<{ readonly pending: string }>;
/** The name of a factor in the interface. */
export type Method = Factors[FactorKind]["name"];

export const FACTOR_KINDS = Object.keys(FACTORS) as readonly FactorKind[];
export const MAIN_FACTORS: readonly MainFactor[] = FACTOR_KINDS.filter(isMain);
export const METHODS: readonly Method[] = FACTOR_KINDS.map((kind) => FACTORS[kind].name);

function isMain(kind: FactorKind): kind is MainFactor {
  return FACTORS[kind].isMain;
}
