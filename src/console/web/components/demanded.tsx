import { texts } from "../language.ts";
import type { Policy } from "../schemas.ts";
import { Phrase } from "./sentence.tsx";
import { Time } from "./time.tsx";

interface DemandedProps {
  readonly policy: Policy;
}

/** What a role demands of its members, and from when on. */
export function Demanded({ policy: { secondFactor, from, before } }: DemandedProps) {
  const { policy: words, needs } = texts.value.demands;
  if (from === null) return <>{words.now(needs[secondFactor])}</>;
  return (
    <Phrase
      text={words.later(needs[secondFactor], needs[before ?? "none"])}
      parts={{ from: <Time at={from} /> }}
    />
  );
}

/** What it demanded before that. */
export function DemandedBefore({ policy: { secondFactor, from, before } }: DemandedProps) {
  const { policy: words, needs } = texts.value.demands;
  if (from === null) return <>{words.was(needs[secondFactor])}</>;
  return (
    <Phrase
      text={words.wasPlanned(needs[before ?? "none"], needs[secondFactor])}
      parts={{ from: <Time at={from} /> }}
    />
  );
}
