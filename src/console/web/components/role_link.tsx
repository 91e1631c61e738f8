import { path, query } from "../router.ts";
import { Link } from "./link.tsx";
import { Name } from "./name.tsx";

interface RoleLinkProps {
  readonly id: number;
  readonly name: string;
}

/** A role by its name, as the way to its picture. */
export function RoleLink({ id, name }: RoleLinkProps) {
  return (
    <Link to={addressOfRole(id)}>
      <Name>{name}</Name>
    </Link>
  );
}

/** The address of the picture of a role. From a picture of somebody else's rights, it leads to another of theirs. */
export function addressOfRole(id: number): string {
  const person = path.value[0] === "role" ? query.value.get("person") : null;
  return `/role/${id}${person === null ? "" : `?${new URLSearchParams({ person })}`}`;
}
