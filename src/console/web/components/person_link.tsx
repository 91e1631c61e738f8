import { Link } from "./link.tsx";
import { Name, StrongName } from "./name.tsx";

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
