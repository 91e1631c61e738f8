import type { ComponentChildren } from "preact";
import { texts } from "../language.ts";
import { me, useMe } from "../me.ts";
import { useTitle } from "../use_title.ts";
import { Heading } from "./heading.tsx";
import { Name } from "./name.tsx";

/** For a person who is not a member of any role. */
export function NoRoles() {
  const { dormant, empty: { title, text, address } } = texts.value.hierarchy;
  if (hasDormant()) {
    return (
      <Absent title={dormant.title}>
        <p>{texts.value.demands.dormant.text}</p>
      </Absent>
    );
  }
  return (
    <Absent title={title}>
      <p>{text}</p>
      {me.value && (
        <p>
          {address} <Name>{me.value.email}</Name>
        </p>
      )}
    </Absent>
  );
}

/** The hint that a dormant membership may be the reason. */
export function DormantNote() {
  return hasDormant() ? <p>{texts.value.hierarchy.dormant.text}</p> : null;
}

function hasDormant(): boolean {
  return me.value !== undefined && me.value.dormant.length > 0;
}

/** A page in place of roles that are not there. */
export function Absent(
  { title, children }: { readonly title: string; readonly children: ComponentChildren },
) {
  useTitle(title);
  // A demand may be new.
  useMe();
  return (
    <main class="alone absent">
      <svg width="96" height="64" viewBox="0 0 96 64" aria-hidden="true">
        <path d="M48 22v8M20 46v-4a8 8 0 0 1 8-8h40a8 8 0 0 1 8 8v4" />
        <rect x="30" y="2" width="36" height="18" rx="5" />
        <rect x="2" y="46" width="36" height="16" rx="5" />
        <rect x="58" y="46" width="36" height="16" rx="5" />
      </svg>
      <Heading>{title}</Heading>
      {children}
    </main>
  );
}
