import { useSignal } from "@preact/signals";
import { Choice } from "../../components/choice.tsx";
import { TimeField } from "../../components/time_field.tsx";
import type { Rights } from "../../../../graph/rights.ts";
import { formatTime, texts } from "../../language.ts";
import { daysToFriday, endOfDay, endOfMonth, toLocal } from "../../local_time.ts";
import { ALL, isSame, isWithin, NONE } from "../../rights.ts";
import { query } from "../../router.ts";
import type { Member } from "../../schemas.ts";
import { type Moment, useMoment } from "../../use_moment.ts";
import { GivingRights, presetRights } from "./giving_rights.tsx";
import { carriedBy, lastEnd, useOwnMemberships } from "./own_memberships.ts";
import type { Terms } from "./requests.ts";

/** The value of `?until=` for a membership that does not end by itself. */
export const FOR_GOOD = "never";

/** The chosen terms, and the state of their fields. */
interface ChosenTerms extends Terms {
  /** Whether the rights that the viewer may give are loaded. */
  readonly isKnown: boolean;
  /** The fault of the end. */
  readonly fault: string | undefined;
  readonly end: Moment;
  /** Whether only some rights are given; undefined without that choice. */
  readonly isLess: boolean | undefined;
  readonly onLess: (isLess: boolean) => void;
  readonly most: Rights;
  readonly onMost: (rights: Rights) => void;
  /** The current rights of the membership. */
  readonly now: Rights | undefined;
}

/** The text of the end in the address, as `?until=`: a time, or `never`. */
function presetEnd(): string | undefined {
  const asked = query.value.get("until");
  if (asked === null) return undefined;
  return asked === FOR_GOOD ? "" : toLocal(new Date(asked));
}

/** Returns terms to start from: the membership's; for a new one the suggested rights, or else the viewer's own. */
export function useTerms(member: Member | undefined, suggested?: Rights): ChosenTerms {
  const memberships = useOwnMemberships();
  const latest = memberships && lastEnd(memberships);
  const carried = carriedBy(memberships);
  const preset = presetRights();
  const less = useSignal(preset && true);
  const most = useSignal(preset);
  const end = useMoment(member === undefined ? latest : member.until, presetEnd());
  const until = end.at ?? null;
  const mayChooseAll = member !== undefined || isSame(carried, ALL);
  const usual = suggested !== undefined && isWithin(suggested, carried) ? suggested : undefined;
  const isLess = (less.value ?? (member?.rights ?? usual) !== undefined) || !mayChooseAll;
  // For a new member with only some rights, the viewer has to choose them.
  const rights = most.value ?? member?.rights ?? usual ??
    (member === undefined && mayChooseAll ? NONE : carried);
  return {
    isKnown: memberships !== undefined,
    until,
    rights: isLess && !isSame(rights, ALL) ? rights : null,
    fault: end.fault ?? (end.isTyped ? faultOf(until, member, latest) : undefined),
    end,
    isLess: mayChooseAll ? isLess : undefined,
    onLess: (isLess) => less.value = isLess,
    most: rights,
    onMost: (rights) => most.value = rights,
    now: member && (member.rights ?? ALL),
  };
}

/** Returns the fault of a new end. `latest`: the latest end that the viewer may give. */
function faultOf(
  until: string | null,
  member: Member | undefined,
  latest: string | undefined,
): string | undefined {
  const { member: words } = texts.value.change;
  if (until !== null && Date.parse(until) <= Date.now()) return words.past;
  if (latest === undefined || (until !== null && until <= latest)) return undefined;
  const isShorter = member !== undefined &&
    (member.until === undefined || (until !== null && until <= member.until));
  return isShorter ? undefined : words.tooLate(formatTime(latest));
}

/** The fields for the end and the rights. */
export function TermsFields({ terms }: { readonly terms: ChosenTerms }) {
  const { member: words } = texts.value.change;
  const { end, fault, isLess, onLess, most, onMost, now } = terms;
  return (
    <>
      <TimeField
        label={texts.value.words.ends}
        hint={words.untilHint}
        moment={end}
        fault={fault}
        choices={[
          [words.choices.tomorrow, endOfDay(1)],
          [words.choices.friday, endOfDay(daysToFriday())],
          [words.choices.week, endOfDay(7)],
          [words.choices.month, endOfMonth()],
          [words.choices.forGood, ""],
        ]}
      />
      {isLess !== undefined && (
        <Choice
          label={words.extent}
          value={isLess ? "some" : "all"}
          options={{ all: words.all, some: words.some }}
          onValue={(value) => onLess(value === "some")}
        />
      )}
      {isLess !== false && (
        <GivingRights label={texts.value.words.atMost} value={most} onValue={onMost} now={now} />
      )}
    </>
  );
}
