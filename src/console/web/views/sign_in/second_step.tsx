import { useMemo } from "preact/hooks";
import type { Method } from "../../../../identity/factors.ts";
import { apiWith } from "../../api.ts";
import { texts } from "../../language.ts";
import { keepSession } from "../../session.ts";
import { FactorForm } from "./factor_form.tsx";

interface SecondStepProps {
  readonly partialToken: string;
  readonly methods: readonly Method[];
  readonly onStartAgain: () => void;
  /** Called when the login is over: too many wrong codes, or too late. */
  readonly onOver: () => void;
}

/** The second factor of a login. */
export function SecondStep({ partialToken, methods, onStartAgain, onOver }: SecondStepProps) {
  const { signIn } = texts.value;
  const client = useMemo(() => apiWith(partialToken, onOver), [partialToken]);
  return (
    <>
      <h1>{signIn.factorTitle}</h1>
      <FactorForm
        client={client}
        methods={methods}
        onProven={({ refreshToken = "" }) => keepSession(refreshToken)}
        leave={<button type="button" onClick={onStartAgain}>{signIn.startAgain}</button>}
      />
    </>
  );
}
