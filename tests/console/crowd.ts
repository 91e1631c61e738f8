import { bindBatch } from "../../src/db/statement.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { defineStatement } from "../helpers/text_statement.ts";

/** Ids that the service does not reach in a test. */
const FIRST_ID = 1_000_000;

const NUMBERED =
  "WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < :count)";

const ADD_CHILDREN = [
  defineStatement(`${NUMBERED}
    INSERT INTO role (id, name, self_rights) SELECT :firstId + n, 'Customer ' || n, 63 FROM numbered`),
  defineStatement(`${NUMBERED}
    INSERT INTO manages (id, parent_id, child_id, rights) SELECT :firstId + n, :roleId, :firstId + n, 63 FROM numbered`),
  defineStatement(`${NUMBERED}
    INSERT INTO role_closure (descendant_id, ancestor_id, rights)
    SELECT :firstId + n, above.id, 63 FROM numbered CROSS JOIN (
      SELECT :roleId AS id UNION SELECT ancestor_id FROM role_closure WHERE descendant_id = :roleId) above`),
];

const ADD_MEMBERS = [
  defineStatement(`${NUMBERED}
    INSERT INTO user_account (id, email, created_at)
    SELECT :firstId + n, 'person' || n || '@crowd.example', 0 FROM numbered`),
  defineStatement(`${NUMBERED}
    INSERT INTO member (id, role_id, user_id) SELECT 2 * :firstId + n, :roleId, :firstId + n FROM numbered`),
];

/** Puts "Customer 1" and so on below a role, with all rights. */
export async function addChildren({ database }: TestApp, roleId: number, count: number): Promise<void> {
  await database.write(bindBatch(ADD_CHILDREN, { roleId, count, firstId: FIRST_ID }));
}

/** Makes person1@crowd.example and so on members of a role. */
export async function addMembers({ database }: TestApp, roleId: number, count: number): Promise<void> {
  await database.write(bindBatch(ADD_MEMBERS, { roleId, count, firstId: FIRST_ID }));
}
