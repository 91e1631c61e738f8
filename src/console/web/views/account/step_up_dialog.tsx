import { useEffect } from "preact/hooks";
import { FACTORS, type Method, METHODS } from "../../../../identity/factors.ts";
import { api, dataOf } from "../../api.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Link } from "../../components/link.tsx";
import { LoadingNote } from "../../components/loading_note.tsx";
import { say } from "../../components/notice.tsx";
import { texts } from "../../language.ts";
import { hasPasskeys } from "../../passkey.ts";
import type { Needs } from "../../schemas.ts";
import { stepping } from "../../step_up.ts";
import { reloadAll, useLoad } from "../../use_load.ts";
import { FactorForm } from "../sign_in/factor_form.tsx";
import { keepProof } from "./sudo.ts";

/** Asks for the second factor that a role demands, or says how to get one. */
export function StepUpDialog() {
  // Signing out ends it.
  useEffect(() => () => stepping.value?.end(false), []);
  if (stepping.value === undefined) return null;
  const { needs, end } = stepping.value;
  return (
    <Dialog title={texts.value.demands.stepUp.title} onClose={() => end(false)}>
      <Proof key={needs} needs={needs} end={end} />
    </Dialog>
  );
}

interface ProofProps {
  readonly needs: Needs;
  readonly end: (isProven: boolean) => void;
}

function Proof({ needs, end }: ProofProps) {
  const { demands: { stepUp: words }, cancel, close } = texts.value;
  const { data, problem, reload } = useLoad(`factors for ${needs}`, (signal) => loadWays(needs, signal));
  if (data === undefined) return <LoadingNote problem={problem} />;
  const usable = data.confirmed.filter((method) => method !== "passkey" || hasPasskeys);
  if (usable.length > 0) {
    const finish = (sudoToken: string): void => {
      keepProof(sudoToken);
      end(true);
      say(words.done);
      reloadAll();
    };
    return (
      <>
        <p>{words.ask[needs]}</p>
        <FactorForm
          client={api}
          methods={usable}
          onProven={({ sudoToken }) => finish(sudoToken)}
          leave={<button type="button" onClick={() => end(false)}>{cancel}</button>}
        />
      </>
    );
  }
  const isElsewhere = data.confirmed.length > 0;
  return (
    <>
      <p>{words.ask[needs]}</p>
      <p class="note">
        {isElsewhere
          ? texts.value.problems.PASSKEYS_UNSUPPORTED
          : data.hasUnconfirmed
          ? words.unconfirmed
          : words.none[needs]}
      </p>
      <div class="actions" onClick={({ target }) => target instanceof HTMLAnchorElement && end(false)}>
        {data.hasUnconfirmed
          ? <button type="button" class="go" onClick={reload}>{texts.value.list.again}</button>
          : !isElsewhere && <Link to="/account" class="button">{words.toAccount}</Link>}
        <button type="button" onClick={() => end(false)}>{close}</button>
      </div>
    </>
  );
}

/** The least `meets` of a factor. */
const LEVELS: Readonly<Record<Needs, number>> = { required: 1, "phishing-resistant": 2 };

interface Ways {
  /** The account's factors that meet the demand. */
  readonly confirmed: readonly Method[];
  /** Whether another would, once its owner has opened the mailed link. */
  readonly hasUnconfirmed: boolean;
}

async function loadWays(needs: Needs, signal: AbortSignal): Promise<Ways> {
  const [{ totp, passkey }, list] = await Promise.all([
    dataOf(api.GET("/user/2fa", { signal })),
    dataOf(api.GET("/user/2fa/passkey", { signal })),
  ]);
  const isConfirmed: Partial<Record<Method, boolean>> = {
    ...passkey && { passkey: list.passkey.some(({ confirmed }) => confirmed) },
    ...totp && { totp: totp.confirmed },
  };
  const meeting = METHODS.filter((method) =>
    Object.values(FACTORS).some(({ name, meets }) => name === method && meets >= LEVELS[needs])
  );
  return {
    confirmed: meeting.filter((method) => isConfirmed[method] === true),
    hasUnconfirmed: meeting.some((method) => isConfirmed[method] === false),
  };
}
