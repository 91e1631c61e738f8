import type { ComponentChildren } from "preact";
import { Heading } from "../../components/heading.tsx";
import { Link } from "../../components/link.tsx";
import { say } from "../../components/notice.tsx";
import { texts } from "../../language.ts";
import { navigate } from "../../router.ts";
import { useTitle } from "../../use_title.ts";
import type { Factors } from "./use_factors.ts";

/** Props of the page of a change. */
export interface AccountChangeProps {
  /** As they were when the page was opened. */
  readonly factors: Factors;
}

/** The page before and after a change. */
const OVERVIEW = "/account";

interface ChangePageProps {
  readonly title: string;
  /** The part of the account to return to; by default the sign-in settings. */
  readonly backTo?: string;
  readonly children: ComponentChildren;
}

/** A page for one change of the account. */
export function ChangePage({ title, backTo = OVERVIEW, children }: ChangePageProps) {
  useTitle(title);
  return (
    <main class="account account-change">
      <p>
        <Link to={backTo} class="way-back">{texts.value.views.account}</Link>
      </p>
      <Heading>{title}</Heading>
      {children}
    </main>
  );
}

/** A button that cancels a change. */
export function CancelButton({ backTo = OVERVIEW }: Pick<ChangePageProps, "backTo">) {
  return <button type="button" onClick={() => navigate(backTo)}>{texts.value.cancel}</button>;
}

/** Returns after a change, with a notice. "Back" does not lead to the change again. */
export function finishChange(done: string): void {
  say(done);
  navigate(OVERVIEW, { replace: true });
}
