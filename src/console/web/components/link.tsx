import type { ComponentChildren } from "preact";
import { follow, path, query, ROOT } from "../router.ts";
import { Name, StrongName } from "./name.tsx";

interface LinkProps {
  /** An address below the console: `/role/12`. */
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  /** Whether it leads to the current content. */
  readonly isCurrent?: boolean;
  /** The label for screen readers, where texts alone do not distinguish links. Begins with the text. */
  readonly label?: string;
}

/** A link to another view. */
export function Link({ to, children, isCurrent = false, label, ...rest }: LinkProps) {
  return (
    <a
      href={ROOT + to}
      onClick={follow}
      aria-current={isCurrent ? "page" : undefined}
      aria-label={label}
      {...rest}
    >
      {children}
    </a>
  );
}

interface RoleLinkProps {
  readonly id: number;
  readonly name: string;
}

/** The name of a role as a link to its picture. */
export function RoleLink({ id, name }: RoleLinkProps) {
  return (
    <Link to={addressOfRole(id)}>
      <Name>{name}</Name>
    </Link>
  );
}

/**
 * Returns the address of a role's picture. From a picture of another person's rights, or a question about them, it leads to
 * a picture of the same person.
 */
export function addressOfRole(id: number): string {
  const person = ["role", "why"].includes(path.value[0] ?? "") ? query.value.get("person") : null;
  return `/role/${id}${person === null ? "" : `?${new URLSearchParams({ person })}`}`;
}

interface PersonLinkProps {
  readonly email: string;
  /** The id of the account, if it is known; the page finds it by the address otherwise. */
  readonly userId?: number | undefined;
  readonly name?: string | undefined;
}

/** The address of a person, after their name, as a link to their page. */
export function PersonLink({ email, userId, name }: PersonLinkProps) {
  const to = userId === undefined ? `/person?${new URLSearchParams({ email })}` : `/person/${userId}`;
  return (
    <Link to={to} class="person-link">
      {name !== undefined && (
        <>
          <StrongName>{name}</StrongName>
          {" "}
        </>
      )}
      <Name>{email}</Name>
    </Link>
  );
}
