import { Link } from "./link.tsx";
import { Name } from "./name.tsx";

interface PersonLinkProps {
  readonly email: string;
  /** The id of the account, if it is known; the page finds it by the address otherwise. */
  readonly userId?: number | undefined;
}

/** The address of a person as a link to their page. */
export function PersonLink({ email, userId }: PersonLinkProps) {
  const to = userId === undefined ? `/person?${new URLSearchParams({ email })}` : `/person/${userId}`;
  return (
    <Link to={to} class="person-link">
      <Name>{email}</Name>
    </Link>
  );
}
