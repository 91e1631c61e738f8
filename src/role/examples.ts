import {
  EXAMPLE_IDS,
  EXAMPLE_NAMES,
  EXAMPLE_SECRETS,
  EXAMPLE_TIMES,
} from "../http/openapi/example_values.ts";
import type { OperationExample } from "../http/openapi/openapi_examples.ts";
import { RIGHT_NAMES } from "../graph/rights.ts";

const { rootRole, role, childRole, newRole, relationToRole, relationToChildRole, newRelation } = EXAMPLE_IDS;
const { firstMember, secondMember, user, secondUser } = EXAMPLE_IDS;

type Rights = Readonly<Record<typeof RIGHT_NAMES[number], boolean>>;

function rights(...held: readonly (typeof RIGHT_NAMES[number])[]): Rights {
  return Object.fromEntries(RIGHT_NAMES.map((name) => [name, held.includes(name)])) as Rights;
}

const all = rights(...RIGHT_NAMES);
const viewers = rights("viewManagement", "reportManagement");
const newRoleBody = { name: "Storage", selfRights: viewers };

const roleResponse = { id: role, name: "Plant North", selfRights: viewers, userRights: all };
const relation = { id: relationToChildRole, parentRoleId: role, childRoleId: childRole };
const member = {
  id: secondMember,
  roleId: rootRole,
  userId: secondUser,
  userEmail: EXAMPLE_NAMES.secondEmail,
  waitingSince: EXAMPLE_TIMES.created,
};

export const ROLE_EXAMPLES = {
  collectRoles: {
    request: { query: { id: [role], "userRights.viewManagement": true } },
    response: { role: [{ ...roleResponse, userRights: { viewManagement: true } }] },
  },
  queryRoles: {
    request: {
      body: {
        filter: { ancestorRoleId: [rootRole] },
        userRights: { roleManagement: true, viewManagement: true },
        limit: 100,
      },
    },
    response: {
      role: [{ ...roleResponse, userRights: { roleManagement: true, viewManagement: true } }],
      nextCursor: null,
    },
  },
  createRole: {
    request: {
      query: { parentRoleId: role },
      header: { "Idempotency-Key": "storage-7b1c4e" },
      body: { manages: all, role: newRoleBody },
    },
    response: {
      manages: { id: newRelation, parentRoleId: role, childRoleId: newRole, ...all },
      role: { id: newRole, ...newRoleBody, userRights: all },
    },
  },
  updateRole: {
    request: { path: { roleId: childRole }, body: newRoleBody },
    response: { role: { id: childRole, ...newRoleBody, userRights: all } },
  },
  getRoleUsage: {
    request: { path: { roleId: EXAMPLE_IDS.rootRole } },
    response: {
      of: "root",
      roles: { used: 214, allowed: 1_000_000 },
      devices: { used: 655, allowed: 1_000_000 },
      changes: { used: 20_480, allowed: 1_000_000_000 },
      telemetry: { used: 1_310_720 },
    },
  },
  getRolePassword: {
    request: { path: { roleId: childRole } },
    response: {
      set: true,
      rights: viewers,
      setBy: EXAMPLE_IDS.user,
      setAt: EXAMPLE_TIMES.latest,
      works: true,
    },
  },
  setRolePassword: {
    request: {
      path: { roleId: childRole },
      body: { password: EXAMPLE_SECRETS.rolePassword, rights: viewers },
    },
    response: null,
  },
  getAuthenticationPolicy: {
    request: { path: { roleId: childRole } },
    response: { authenticationPolicy: { secondFactor: "required", from: null, before: null } },
  },
  setAuthenticationPolicy: {
    request: { path: { roleId: childRole }, body: { secondFactor: "required" } },
    response: { authenticationPolicy: { secondFactor: "required", from: null, before: null } },
  },
  checkRights: {
    request: {
      body: {
        checks: [{ roleId: role, right: "roleManagement" }, { roleId: childRole, right: "viewManagement" }],
      },
    },
    response: { allowed: [true, true] },
  },
  summarizeRoles: {
    request: { body: { id: [role] } },
    response: { summary: [{ id: role, parents: 1, children: 1, descendants: 1 }] },
  },
  collectCompanies: { response: { company: [] } },
} as const satisfies Readonly<Record<string, OperationExample>>;

export const MANAGES_EXAMPLES = {
  collectManages: {
    request: { path: { parentRoleId: [role] }, query: { childRoleId: [childRole] } },
    response: { manages: [{ ...relation, ...all }] },
  },
  queryManages: {
    request: {
      path: { parentRoleId: "*" },
      body: { filter: { childRoleId: [childRole] }, limit: 100 },
    },
    response: { manages: [{ ...relation, ...all }], nextCursor: null },
  },
  queryManagedBy: {
    request: { path: { roleId: [role] }, body: {} },
    response: { manages: [{ id: relationToRole, parentRoleId: rootRole, childRoleId: role, ...all }] },
  },
  putManages: {
    request: {
      path: { parentRoleId: rootRole },
      query: { childRoleId: childRole },
      body: viewers,
    },
    response: { manages: { id: newRelation, parentRoleId: rootRole, childRoleId: childRole, ...viewers } },
  },
  updateManages: {
    request: {
      path: { parentRoleId: role, managesId: relationToChildRole },
      body: rights("roleManagement", "viewManagement"),
    },
    response: { manages: { ...relation, ...rights("roleManagement", "viewManagement") } },
  },
  deleteManages: {
    request: {
      path: { parentRoleId: role, managesId: relationToChildRole },
      query: { dryRun: true },
    },
    response: {
      deletedNodeIds: [childRole],
      deletedRelationIds: [relationToChildRole],
      effect: {
        tag: "mB4vT0c1r9xQkq0mJr1bq8Tn3y2zFh6wJd5sLp7uXeA",
        revision: 1234,
        rights: Object.fromEntries(RIGHT_NAMES.map((name) => [name, { gained: 0, lost: 2 }])),
        people: { gained: 0, lost: 1 },
        named: [{
          userEmail: EXAMPLE_NAMES.email,
          on: [{
            roleIds: [childRole],
            gained: [],
            lost: [...RIGHT_NAMES],
            kept: [],
            through: [],
            hidden: false,
          }],
          others: 0,
        }],
        keeps: [],
        unmanaged: [],
        hiddenUnmanaged: 0,
        deletes: { roles: 1, devices: 0 },
        reading: {
          roles: { gained: 0, lost: 0 },
          people: { gained: 0, lost: 0 },
          changes: [],
          hidden: 0,
        },
        changes: [{ actingRoleId: role, roleId: childRole, gained: [], lost: [...RIGHT_NAMES] }],
        hidden: 0,
        truncated: false,
      },
    },
  },
} as const satisfies Readonly<Record<string, OperationExample>>;

export const MEMBER_EXAMPLES = {
  collectMembers: {
    request: { path: { roleId: [rootRole] }, query: { userEmail: [EXAMPLE_NAMES.secondEmail] } },
    response: { member: [member] },
  },
  queryMembers: {
    request: { path: { roleId: [rootRole] }, body: { limit: 100 } },
    response: {
      member: [{ id: firstMember, roleId: rootRole, userId: user, userEmail: EXAMPLE_NAMES.email }, member],
      nextCursor: null,
    },
  },
  addMember: {
    request: {
      path: { roleId: role },
      query: { userEmail: EXAMPLE_NAMES.invitedEmail, language: "nl" },
      body: { until: EXAMPLE_TIMES.later, rights: viewers },
    },
    response: {
      member: {
        id: newRelation,
        roleId: role,
        userEmail: EXAMPLE_NAMES.invitedEmail,
        until: EXAMPLE_TIMES.later,
        rights: viewers,
      },
    },
  },
  removeMember: {
    request: { path: { roleId: rootRole, memberId: secondMember } },
    response: { deletedNodeIds: [], deletedRelationIds: [secondMember] },
  },
  endMemberSessions: {
    request: { path: { roleId: rootRole, memberId: secondMember } },
    response: { ended: 2 },
  },
  inviteAgain: {
    request: { path: { roleId: rootRole, memberId: secondMember } },
    response: { sent: true },
  },
} as const satisfies Readonly<Record<string, OperationExample>>;
