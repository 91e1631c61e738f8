import type { ComponentChildren, Ref } from "preact";
import { Link } from "../../components/link.tsx";
import { texts } from "../../language.ts";

interface ItemProps {
  readonly title: string;
  readonly text: ComponentChildren;
  readonly state?: ComponentChildren;
  /** The ways to change it. */
  readonly children?: ComponentChildren;
  /** What it consists of. */
  readonly list?: ComponentChildren;
  readonly box?: Ref<HTMLLIElement>;
}

/** A sign-in setting: what it is, its state, and the ways to change it. */
export function Item({ title, text, state, children, list, box }: ItemProps) {
  return (
    <li class="beside" ref={box ?? null}>
      <div>
        <h2 class="title">{title}</h2>
        {state}
        <p class="hint">{text}</p>
      </div>
      {children && <div class="account-ways">{children}</div>}
      {list}
    </li>
  );
}

/** Whether a factor is on. */
export function State({ isOn }: { readonly isOn: boolean }) {
  const { overview } = texts.value.accountSecurity;
  return <span class={isOn ? "state on" : "state none"}>{isOn ? overview.on : overview.off}</span>;
}

/** The way to confirm a factor, on a line of its own. */
export function Unconfirmed() {
  return (
    <>
      <br />
      {texts.value.accountSecurity.overview.unconfirmed}
    </>
  );
}

interface ChangeLinkProps {
  readonly change: string;
  /** The subject of the change, for screen readers that read links without context. */
  readonly about: string;
  readonly children: string;
}

/** A link to a change of the account. */
export function ChangeLink({ change, about, children }: ChangeLinkProps) {
  return (
    <Link to={`/account/${change}`} class="button">
      {children}
      <span class="visually-hidden">{about}</span>
    </Link>
  );
}
