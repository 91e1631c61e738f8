import type { AccountTold } from "../accounts_told.ts";
import { locale, texts } from "../language.ts";
import { TimeFact } from "./time.tsx";

/** The last sign-in and the second factors of an account, in a list of facts. */
export function AccountFacts({ lastSignInAt, factors }: AccountTold) {
  const { people } = texts.value;
  return (
    <>
      {lastSignInAt === null
        ? <li>{people.noSignIn}</li>
        : <TimeFact label={people.lastSignIn} at={lastSignInAt} />}
      <li>
        {factors.length === 0 ? people.noFactor : people.withFactors(
          new Intl.ListFormat(locale.value).format(factors.map((factor) => people.factors[factor])),
        )}
      </li>
    </>
  );
}
