import { texts } from "../language.ts";
import type { Policy } from "../schemas.ts";
import { Phrase } from "./phrase.tsx";
import { Time } from "./time.tsx";

/** What a role demands of its members, and from when on. */
export function Demanded({ policy: { secondFactor, from, before } }: { readonly policy: Policy }) {
  const { policy: words, needs } = texts.value.demands;
  if (from === null) return <>{words.now(needs[secondFactor])}</>;
  return (
    <Phrase
      text={words.later(needs[secondFactor], needs[before ?? "none"])}
      parts={{ from: <Time at={from} /> }}
    />
  );
}
