import { Demanded, DemandedBefore } from "../../components/demanded.tsx";
import { describeProblem } from "../../components/form.tsx";
import { PersonLink } from "../../components/link.tsx";
import { Phrase } from "../../components/sentence.tsx";
import { Time } from "../../components/time.tsx";
import { texts } from "../../language.ts";
import { StepUpButton } from "../account/dormant.tsx";
import { describeRefusal } from "./describe_refusal.ts";
import type { SetDemand } from "./requests.ts";
import { RoleName } from "./role_name.tsx";
import type { Look, Wanted } from "./set_demands.ts";

/** What the role will demand, and who has not met that yet. */
export function DemandEffect({ shown: { authenticationPolicy, unmet } }: { readonly shown: SetDemand }) {
  const { policy: words } = texts.value.demands;
  const { secondFactor } = authenticationPolicy;
  return (
    <div class="effect">
      <div class="effect-box">
        <p>
          <Demanded policy={authenticationPolicy} />
        </p>
        {secondFactor === "none" ? <p>{words.liftText}</p> : (
          <>
            <p>{unmet === undefined ? words.unmetHidden : words.unmet(unmet.count)}</p>
            <Unmet unmet={unmet} />
            <p class="hint">{words.keys}</p>
          </>
        )}
      </div>
      <p class="hint">{words.noUndo}</p>
    </div>
  );
}

/** The members who have not met it. Addresses are only for those who know them anyhow. */
function Unmet({ unmet }: { readonly unmet: SetDemand["unmet"] | undefined }) {
  if (unmet === undefined || unmet.named.length === 0) return null;
  const more = unmet.count - unmet.named.length;
  return (
    <ul class="rows">
      {unmet.named.map((email) => (
        <li key={email}>
          <PersonLink email={email} />
        </li>
      ))}
      {more > 0 && <li class="hint">{texts.value.change.effect.more(more, 0)}</li>}
    </ul>
  );
}

interface DemandEffectsProps {
  readonly wanted: Wanted;
  readonly looks: readonly Look[];
  /** Looks again, once the session has proved what it lacked. */
  readonly onProven: () => void;
}

/** What several roles will demand, and for each who has not met that yet, or why it is left out. */
export function DemandEffects({ wanted, looks, onProven }: DemandEffectsProps) {
  const { policy: words, several, needs } = texts.value.demands;
  const { secondFactor, from } = wanted;
  const due = looks.filter(({ shown }) => shown !== undefined);
  return (
    <div class="effect">
      <div class="effect-box">
        {due.length > 0 && (
          <p>
            <Phrase
              text={several.each(due.length, needs[secondFactor], from !== undefined)}
              parts={{ from: from !== undefined && <Time at={from} /> }}
            />
          </p>
        )}
        <ul class="rows">
          {looks.map((look) => (
            <li key={look.role.id} class="one-of-several">
              <b>
                <RoleName role={look.role} />
              </b>
              <OneOfSeveral {...{ look, wanted, onProven }} />
            </li>
          ))}
        </ul>
        {secondFactor !== "none" && due.length > 0 && <p class="hint">{several.note}</p>}
      </div>
      {due.length > 0 && <p class="hint">{words.noUndo}</p>}
    </div>
  );
}

interface OneOfSeveralProps extends Pick<DemandEffectsProps, "wanted" | "onProven"> {
  readonly look: Look;
}

function OneOfSeveral({ look, wanted, onProven }: OneOfSeveralProps) {
  const { policy: words, several } = texts.value.demands;
  const { role, was, shown, problem } = look;
  if (problem !== undefined) {
    return (
      <>
        <p class="fault">{describeRefusal(problem, 0, words.forbidden) ?? describeProblem(problem)}</p>
        {problem.needs && <StepUpButton needs={problem.needs} about={role.name} onProven={onProven} />}
      </>
    );
  }
  if (shown === undefined) return <p class="hint">{words.unchanged}</p>;
  const { unmet } = shown;
  return (
    <>
      {wanted.secondFactor !== "none" && (
        unmet === undefined
          ? <p class="hint">{words.unmetHidden}</p>
          : unmet.named.length === 0
          ? <p>{several.unmet(unmet.count)}</p>
          : (
            <details>
              <summary>{several.unmet(unmet.count)}</summary>
              <Unmet unmet={unmet} />
            </details>
          )
      )}
      {was !== undefined && was.secondFactor !== "none" && (
        <p class="hint">
          <DemandedBefore policy={was} />
        </p>
      )}
    </>
  );
}
