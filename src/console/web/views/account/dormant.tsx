import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Link } from "../../components/link.tsx";
import { StrongName } from "../../components/name.tsx";
import { Phrase } from "../../components/sentence.tsx";
import { Time } from "../../components/time.tsx";
import { texts } from "../../language.ts";
import { me } from "../../me.ts";
import { loadRoles } from "../../roles.ts";
import { path } from "../../router.ts";
import type { Demand } from "../../schemas.ts";
import { stepUp } from "../../step_up.ts";
import { reloadAll, useLoad } from "../../use_load.ts";

/** Memberships that count as absent in this session, since their roles demand more than it has proved. */

/** How long before a demand holds every page warns of it, in milliseconds. */
const WARNED_MS = 30 * 86_400_000;
/** The longest that a timer waits. */
const LONGEST_MS = 2 ** 31 - 1;

/** A note above every view but the account, which tells more. */
export function DormantBanner() {
  const { dormant: words } = texts.value.demands;
  const { dormant = [], dormantFrom = [] } = me.value ?? {};
  const next = dormantFrom.map(({ from }) => from).sort()[0];
  useReloadAt(next);
  const isNear = next !== undefined && Date.parse(next) < Date.now() + WARNED_MS;
  if ((dormant.length === 0 && !isNear) || path.value[0] === "account") return null;
  const needed = new Set((dormant.length > 0 ? dormant : dormantFrom).map(({ needs }) => needs));
  const [needs = "none"] = needed;
  return (
    <aside class="banner beside" aria-label={words.title}>
      <p>
        {dormant.length > 0
          ? words.banner(dormant.length)
          : <Phrase text={words.bannerLater} parts={{ from: next && <Time at={next} /> }} />}
      </p>
      {needed.size === 1 && <StepUpButton needs={needs} />}
      <Link to="/account">{words.which}</Link>
    </aside>
  );
}

/** Loads all data again once memberships have fallen dormant. */
function useReloadAt(at: string | undefined): void {
  useEffect(() => {
    if (at === undefined) return;
    const wait = Math.max(0, Date.parse(at) - Date.now()) + 1000;
    const timer = setTimeout(reloadAll, Math.min(LONGEST_MS, wait));
    return () => clearTimeout(timer);
  }, [at]);
}

/** The user's dormant memberships and those that will be, with what each needs. */
export function DormantMemberships() {
  const { dormant: words, needs: needsWords } = texts.value.demands;
  const { dormant = [], dormantFrom = [] } = me.value ?? {};
  const ids = [...dormant, ...dormantFrom].map(({ roleId }) => roleId);
  // Roles that the user reaches in another way have names.
  const { data: roles } = useLoad(`dormant ${ids}`, (signal) => loadRoles(ids, signal));
  const nameOf = (id: number): string => roles?.get(id)?.name ?? texts.value.hierarchy.role(id);
  if (ids.length === 0) return null;
  return (
    <section class="card dormant">
      <h2 class="title">{words.title}</h2>
      <p class="hint">{words.text}</p>
      <ul class="rows">
        {dormant.map(({ roleId, needs }) => (
          <MembershipRow key={roleId} name={nameOf(roleId)} needs={needs}>
            {words.now(needsWords[needs])}
          </MembershipRow>
        ))}
        {dormantFrom.map(({ roleId, needs, from }) => (
          <MembershipRow key={`${roleId} later`} name={nameOf(roleId)} needs={needs}>
            <Phrase text={words.later(needsWords[needs])} parts={{ from: <Time at={from} /> }} />
          </MembershipRow>
        ))}
      </ul>
    </section>
  );
}

interface MembershipRowProps {
  /** That of the role. */
  readonly name: string;
  readonly needs: Demand;
  readonly children: ComponentChildren;
}

function MembershipRow({ name, needs, children }: MembershipRowProps) {
  return (
    <li>
      <div class="what">
        <StrongName>{name}</StrongName>
        <p class="hint">{children}</p>
      </div>
      <StepUpButton needs={needs} about={name} />
    </li>
  );
}

interface StepUpButtonProps {
  readonly needs: Demand;
  /** What it is about, for screen readers that read buttons without context. */
  readonly about?: string;
  /** What is done once it is proved, besides. */
  readonly onProven?: () => void;
}

/** A button that asks for the second factor that a role demands. Then all data is loaded again. */
export function StepUpButton({ needs, about, onProven }: StepUpButtonProps) {
  if (needs === "none") return null;
  return (
    <button
      type="button"
      onClick={() => void stepUp(needs).then((isProven) => isProven && onProven?.())}
    >
      {texts.value.demands.stepUp.button}
      {about !== undefined && <span class="visually-hidden">{about}</span>}
    </button>
  );
}
