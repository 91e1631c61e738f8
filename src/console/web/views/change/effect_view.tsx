import type { ComponentChildren } from "preact";
import { formatNumber, texts } from "../../language.ts";
import type { EffectDetails } from "./effect_details.ts";
import { Deleted, OwnLoss, StayingKeys, Unmanaged } from "./effect_notes.tsx";
import { EffectSide } from "./effect_side.tsx";
import { summarize } from "./summary.ts";
import type { Previewed } from "./use_preview.ts";

interface EffectViewProps {
  readonly shown: Previewed;
  /** Names; undefined until loaded. */
  readonly details: EffectDetails | undefined;
  /** The only affected person. */
  readonly person: string | undefined;
  /** The text if no rights are gained or lost. */
  readonly nothing: ComponentChildren;
}

/** The effect of a change: gained and lost rights, deleted nodes, and roles left without a manager. */
export function EffectView({ shown, details, person, nothing }: EffectViewProps) {
  const { effect: words } = texts.value.change;
  const { effect } = shown;
  const [lost, gained] = [summarize(shown, "lost"), summarize(shown, "gained")];
  const changesRights = lost.rights.length > 0 || gained.rights.length > 0;
  return (
    <div class="effect">
      <Deleted shown={shown} details={details} />
      <OwnLoss shown={shown} person={person} />
      <div class="effect-box">
        {!changesRights && <p>{nothing}</p>}
        {lost.rights.length > 0 && (
          <EffectSide direction="lost" side={lost} other={gained} {...{ shown, details, person }} />
        )}
        {gained.rights.length > 0 && (
          <EffectSide direction="gained" side={gained} other={lost} {...{ shown, details, person }} />
        )}
        {lost.rights.length > 0 && person === undefined && <p class="hint">{words.others}</p>}
        {effect.truncated && <p class="hint">{words.truncated}</p>}
      </div>
      <Unmanaged shown={shown} details={details} />
      <StayingKeys shown={shown} />
      <p class="hint">{words.revision(formatNumber(effect.revision))}</p>
    </div>
  );
}
