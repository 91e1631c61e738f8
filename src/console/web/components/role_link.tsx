import { path, query } from "../router.ts";
import { Link } from "./link.tsx";
import { Name } from "./name.tsx";

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
