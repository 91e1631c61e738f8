import { Sentence } from "../../components/sentence.tsx";
import { Time } from "../../components/time.tsx";
import { texts } from "../../language.ts";
import type { Period } from "../../periods.ts";

/** The period of a relation in words: "until 1 Dec 2026, 00:00". */
export function PeriodText({ from, until }: Period) {
  const { period } = texts.value.deviceForms;
  if (from === undefined && until === undefined) return <>{period.always}</>;
  const parts = from === undefined
    ? period.until(<Time at={until!} />)
    : until === undefined
    ? period.from(<Time at={from} />)
    : period.both(<Time at={from} />, <Time at={until} />);
  return <Sentence parts={parts} />;
}
