import { defineStatement, type Statement } from "../../db/statement.ts";

/** What an export row is made of; `parents`: JSON [[id, rights]], ascending by id. */
function columns(parentCondition: string): string {
  return `role.id, role.name, role.self_rights AS selfRights, role.is_root AS isRoot,
    (SELECT json_group_array(json_array(entering.parent_id, entering.rights)) FROM manages entering
      WHERE entering.child_id = role.id AND ${parentCondition}) AS parents`;
}

/** The page of roles after `:afterId` with all relations that enter them. */
export const EXPORT_ROLES: Statement = defineStatement(`
  SELECT ${columns("true")}, 0 AS leftOut
  FROM role WHERE role.id > :afterId ORDER BY role.id LIMIT :limit`);

const STARTS_INSIDE = `(entering.parent_id = :underId OR EXISTS (SELECT 1 FROM role_closure inside
  WHERE inside.descendant_id = entering.parent_id AND inside.ancestor_id = :underId))`;

/** The same of the roles below `:underId`, with the relations that start there or below, and the number of others. */
export const EXPORT_ROLES_BELOW: Statement = defineStatement(`
  SELECT ${columns(STARTS_INSIDE)},
    (SELECT count(*) FROM manages entering WHERE entering.child_id = role.id AND NOT ${STARTS_INSIDE}) AS leftOut
  FROM role_closure below CROSS JOIN role ON role.id = below.descendant_id
  WHERE below.ancestor_id = :underId AND below.descendant_id > :afterId
  ORDER BY below.descendant_id LIMIT :limit`);

export const COUNT_ROLES: Statement = defineStatement(`
  SELECT CASE WHEN :underId IS NULL THEN (SELECT count(*) FROM role)
    ELSE (SELECT count(*) FROM role_closure WHERE ancestor_id = :underId) END AS total,
    :underId IS NULL OR EXISTS (SELECT 1 FROM role WHERE id = :underId) AS found`);
