import { useSignal } from "@preact/signals";
import { Choice } from "../../components/choice.tsx";
import type { Rights } from "../../../../role/rights.ts";
import { formatTime, texts } from "../../language.ts";
import { readLocal, toLocal } from "../../local_time.ts";
import { ALL, isSame, NONE } from "../../rights.ts";
import type { Member } from "../../schemas.ts";
import { GivingRights, presetRights } from "./giving_rights.tsx";
import { carriedBy, lastEnd, useOwnMemberships } from "./own_memberships.ts";
import type { Terms } from "./requests.ts";
import { UntilField } from "./until_field.tsx";

/** The terms that are chosen, and how they stand in their fields. */
interface ChosenTerms extends Terms {
  /** Whether what the viewer may give is there already. */
  readonly isKnown: boolean;
  /** What is wrong with the end. */
  readonly fault: string | undefined;
  readonly end: string;
  readonly onEnd: (end: string, isIncomplete: boolean) => void;
  /** Whether only some rights of the role are given; undefined if that cannot be chosen. */
  readonly isLess: boolean | undefined;
  readonly onLess: (isLess: boolean) => void;
  readonly most: Rights;
  readonly onMost: (rights: Rights) => void;
  /** What the membership carries now. */
  readonly now: Rights | undefined;
}

/** The terms of a membership to start from: those that it has, or for a new one, those of the viewer's own. */
export function useTerms(member: Member | undefined): ChosenTerms {
  const memberships = useOwnMemberships();
  const latest = memberships && lastEnd(memberships);
  const carried = memberships === undefined ? ALL : carriedBy(memberships);
  const preset = presetRights();
  const typed = useSignal<{ readonly end: string; readonly isIncomplete: boolean } | undefined>(undefined);
  const less = useSignal(preset && true);
  const most = useSignal(preset);
  const first = member === undefined ? latest : member.until;
  const firstEnd = first === undefined ? "" : toLocal(new Date(first));
  const { end, isIncomplete } = typed.value ?? { end: firstEnd, isIncomplete: false };
  // An end that stays keeps its seconds, which the field does not have.
  const until = end === firstEnd ? first ?? null : readLocal(end) ?? null;
  const mayChooseAll = member !== undefined || isSame(carried, ALL);
  const isLess = (less.value ?? member?.rights !== undefined) || !mayChooseAll;
  // Whoever gives somebody new only some rights says which.
  const rights = most.value ?? member?.rights ?? (member === undefined && mayChooseAll ? NONE : carried);
  return {
    isKnown: memberships !== undefined,
    until,
    rights: isLess && !isSame(rights, ALL) ? rights : null,
    // What cannot be read must not be taken for good.
    fault: isIncomplete || (end !== "" && until === null)
      ? texts.value.change.member.incomplete
      : end === firstEnd
      ? undefined
      : faultOf(until, member, latest),
    end,
    onEnd: (end, isIncomplete) => typed.value = { end, isIncomplete },
    isLess: mayChooseAll ? isLess : undefined,
    onLess: (isLess) => less.value = isLess,
    most: rights,
    onMost: (rights) => most.value = rights,
    now: member && (member.rights ?? ALL),
  };
}

/** What is wrong with a new end. `latest`: when whatever the viewer gives ends. */
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

/** Until when, and with which rights. */
export function TermsFields({ terms }: { readonly terms: ChosenTerms }) {
  const { member: words } = texts.value.change;
  const { end, onEnd, fault, isLess, onLess, most, onMost, now } = terms;
  return (
    <>
      <UntilField value={end} onValue={onEnd} fault={fault} />
      {isLess !== undefined && (
        <Choice
          label={words.extent}
          value={isLess ? "some" : "all"}
          options={{ all: words.all, some: words.some }}
          onValue={(value) => onLess(value === "some")}
        />
      )}
      {isLess !== false && <GivingRights label={words.rights} rights={most} onRights={onMost} now={now} />}
    </>
  );
}
