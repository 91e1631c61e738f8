import { ask, say, setting } from "./client.ts";

/**
 * Builds a tenant below one of the caller's roles: a role for the tenant, one each for its operators and its readers,
 * and a member. Then checks what the caller may do. Reads BASE_URL, LOGIN_EMAIL, LOGIN_PASSWORD, TENANT_NAME and
 * MEMBER_EMAIL from the environment. The account must have no second factor, and be a member of a role with
 * roleManagement.
 */

const RIGHTS = [
  "roleManagement",
  "userManagement",
  "viewManagement",
  "deviceManagement",
  "reportManagement",
  "alarmManagement",
] as const;

type Right = typeof RIGHTS[number];
type Rights = Readonly<Record<Right, boolean>>;

interface Role {
  readonly id: number;
  readonly name: string;
  readonly userRights: Rights;
}

interface Created {
  readonly role: Role;
  readonly manages: { readonly id: number };
}

/** A rights object with only these rights. The interface requires all six to be given. */
function rights(...held: readonly Right[]): Rights {
  return Object.fromEntries(RIGHTS.map((name) => [name, held.includes(name)])) as Rights;
}

const body = { username: setting("LOGIN_EMAIL"), password: setting("LOGIN_PASSWORD") };
const refreshToken = await ask<string>("POST", "/auth/login", { body });
const token = await ask<string>("GET", "/auth/accesstoken", { token: refreshToken });

/**
 * Creates a role below another. The relation carries the rights that members of the upper role get on the lower one.
 */
async function createRole(parentId: number, name: string, selfRights: Rights): Promise<Created> {
  const created = await ask<Created>("POST", `/v1/role?parentRoleId=${parentId}`, {
    token,
    body: { manages: rights(...RIGHTS), role: { name, selfRights } },
  });
  say(`Created role ${created.role.id} "${name}" below role ${parentId}.`);
  return created;
}

const { role: roles } = await ask<{ role: Role[] }>("POST", "/v1/role/query", {
  token,
  body: { limit: 100 },
});
const parent = roles.find(({ userRights }) => userRights.roleManagement);
if (parent === undefined) throw new Error("The account has roleManagement on no role");
say(`Building below role ${parent.id} "${parent.name}".`);

const tenant = await createRole(
  parent.id,
  setting("TENANT_NAME"),
  rights("roleManagement", "userManagement"),
);
const operators = await createRole(
  tenant.role.id,
  "Operators",
  rights("deviceManagement", "alarmManagement"),
);
const readers = await createRole(tenant.role.id, "Readers", rights("viewManagement"));

// A second path to the same role: operators may see what readers see, and nothing more.
await ask("PUT", `/v1/role/${operators.role.id}/manages?childRoleId=${readers.role.id}`, {
  token,
  body: rights("viewManagement"),
});
say("Operators now have viewManagement on Readers.");

const { member } = await ask<{ member: { id: number; userEmail: string } }>(
  "PUT",
  `/v1/role/${readers.role.id}/member?userEmail=${encodeURIComponent(setting("MEMBER_EMAIL"))}`,
  { token, body: {} },
);
say(`${member.userEmail} is member ${member.id}, and was invited by mail if the address was unknown.`);

const checks = [
  { roleId: readers.role.id, right: "viewManagement" },
  { roleId: readers.role.id, right: "roleManagement" },
];
const { allowed } = await ask<{ allowed: boolean[] }>("POST", "/v1/rights/check", {
  token,
  body: { checks },
});
for (const [i, { roleId, right }] of checks.entries()) {
  say(`${right} on role ${roleId}: ${allowed[i] ? "yes" : "no"}`);
}

const deletion = await ask<{ deletedNodeIds: number[] }>(
  "DELETE",
  `/v1/role/${parent.id}/manages/${tenant.manages.id}?dryRun=true`,
  { token },
);
say(`Deleting the tenant would delete the roles ${deletion.deletedNodeIds.join(", ")}. Nothing was deleted.`);

await ask("POST", "/auth/logout", { token: refreshToken });
