import type { ComponentChildren } from "preact";
import { formatNumber, texts } from "../../language.ts";
import {
  Deleted,
  describeReading,
  describeReturning,
  type NotedProps,
  OwnLoss,
  type OwnLossProps,
  StayingKeys,
  Unmanaged,
} from "./effect_notes.tsx";
import { EffectSide, Keepers } from "./effect_side.tsx";
import { type Side, summarize } from "./summary.ts";

interface EffectViewProps extends NotedProps, OwnLossProps {
  /** The text if no rights are gained or lost. */
  readonly nothing: ComponentChildren;
}

/** The effect of a change: gained and lost rights, deleted nodes, and roles left without a manager. */
export function EffectView({ shown, details, person, memberships, nothing }: EffectViewProps) {
  const { effect: words } = texts.value.change;
  const { effect } = shown;
  const [lost, gained] = [summarize(shown, "lost"), summarize(shown, "gained")];
  // A side on which all keep what they have is not told: they are listed.
  const isTold = ({ rights, people }: Side): boolean =>
    rights.length > 0 && (people > 0 || effect.keeps.length === 0);
  const returning = describeReturning(shown);
  const changesRights = lost.rights.length > 0 || gained.rights.length > 0;
  return (
    <div class="effect">
      <Deleted shown={shown} details={details} />
      <OwnLoss {...{ shown, person, memberships }} />
      <div class="effect-box">
        {returning !== "" && <p>{returning}</p>}
        {!changesRights && <p>{nothing}</p>}
        {isTold(lost) && (
          <EffectSide direction="lost" side={lost} other={gained} {...{ shown, details, person }} />
        )}
        {isTold(gained) && (
          <EffectSide direction="gained" side={gained} other={lost} {...{ shown, details, person }} />
        )}
        <Keepers shown={shown} details={details} />
        {describeReading(effect.reading, details?.roles).map((text) => <p key={text}>{text}</p>)}
        {effect.truncated && <p class="hint">{words.truncated}</p>}
      </div>
      <Unmanaged shown={shown} details={details} />
      <StayingKeys shown={shown} />
      {shown.isLastAwake && <p class="note loss">{words.lastAwake}</p>}
      <p class="hint">{words.revision(formatNumber(effect.revision))}</p>
    </div>
  );
}
