import type { ComponentChildren } from "preact";
import { Heading } from "../../components/heading.tsx";
import { Link } from "../../components/link.tsx";
import { say } from "../../components/notice.tsx";
import { texts } from "../../language.ts";
import { navigate } from "../../router.ts";
import { useTitle } from "../../use_title.ts";
import type { Factors } from "./use_factors.ts";

/** What the page of a change is given. */
export interface AccountChangeProps {
  /** As they were when the page was opened. */
  readonly factors: Factors;
}

/** Where a change starts, and where it leads back to. */
const OVERVIEW = "/account";

interface ChangePageProps {
  readonly title: string;
  /** The part of the account that it belongs to; by default how one signs in. */
  readonly backTo?: string;
  readonly children: ComponentChildren;
}

/** A page on which one thing about one's own account is changed. */
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

/** A button that leaves a change undone. */
export function CancelButton({ backTo = OVERVIEW }: Pick<ChangePageProps, "backTo">) {
  return <button type="button" onClick={() => navigate(backTo)}>{texts.value.cancel}</button>;
}

/** Goes back after a change, and says what was done. "Back" does not lead to the change again. */
export function finishChange(done: string): void {
  say(done);
  navigate(OVERVIEW, { replace: true });
}
