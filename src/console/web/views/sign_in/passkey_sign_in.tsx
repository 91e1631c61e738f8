import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { dataOf, openApi } from "../../api.ts";
import { ProblemNote, useWork } from "../../components/form.tsx";
import { texts } from "../../language.ts";
import type { components } from "../../openapi_types.ts";
import { forgetPasskey, hasAutofill, provePasskey } from "../../passkey.ts";
import { Problem } from "../../problem.ts";
import { keepSession } from "../../session.ts";

type Assertion = components["schemas"]["PasskeyAssertion"];

/** A challenge can be answered for 5 minutes. */
const FRESH_MS = 4.5 * 60_000;
/** How often the age of the challenge is looked at. */
const LOOK_MS = 30_000;

/** The sign-in with a passkey: by a button and, where the browser can, by the suggestions in the field of the address. */
export function PasskeySignIn() {
  const { signIn } = texts.value;
  const { isWorking, isHeld, problem, run } = useWork();
  const round = useSignal(0);
  const open = useRef<AbortController>(null);
  /** A browser has one request for passkeys at a time: the next one ends it. */
  const beginRequest = (): AbortSignal => {
    open.current?.abort();
    open.current = new AbortController();
    return open.current.signal;
  };
  const ask = async (): Promise<void> => {
    const signal = beginRequest();
    try {
      await logIn(await provePasskey(await challenge(), { signal }));
    } catch (error) {
      round.value++;
      throw error;
    }
  };
  useEffect(() => {
    const signal = beginRequest();
    const staleAt = Date.now() + FRESH_MS;
    const renew = (): void => {
      if (!isWorking.value && !document.hidden && Date.now() >= staleAt) round.value++;
    };
    const timer = setInterval(renew, LOOK_MS);
    document.addEventListener("visibilitychange", renew, { signal });
    // Once in a round, in case that something chooses by itself.
    void suggest(signal, (response) => run(() => logIn(response)));
    return () => {
      clearInterval(timer);
      open.current?.abort();
    };
  }, [round.value]);
  return (
    <div class="other-methods">
      <ProblemNote problem={problem} />
      <button type="button" aria-disabled={isHeld} onClick={() => void run(ask)}>
        {isWorking.value ? texts.value.working : signIn.byPasskey}
      </button>
    </div>
  );
}

async function challenge() {
  return (await dataOf(openApi.POST("/auth/passkey/challenge", { body: {} }))).options;
}

/** Suggests the browser's passkeys until the signal. Fails quietly: the user has not asked for it. */
async function suggest(signal: AbortSignal, onChosen: (response: Assertion) => Promise<void>): Promise<void> {
  if (!await hasAutofill()) return;
  const response = await challenge()
    .then((options) => provePasskey(options, { mediation: "conditional", signal }))
    .catch(() => undefined);
  if (response !== undefined && !signal.aborted) await onChosen(response);
}

async function logIn(response: Assertion): Promise<void> {
  const body = { response };
  const login = dataOf(openApi.POST("/auth/passkey/login", { body, parseAs: "text" }));
  const refreshToken = await login.catch((error) => {
    // After any other refusal, the passkey may be as good as before.
    if (error instanceof Problem && error.code === "PASSKEY_UNKNOWN") forgetPasskey(response.id);
    throw error;
  });
  await keepSession(refreshToken);
}
