import type { GenerateSpecOptions } from "hono-openapi";
import { VERSION } from "../../core/version.ts";

/** The parts of the OpenAPI document that belong to no single operation. */
export const API_DOCUMENT = {
  openapi: "3.1.0",
  info: {
    title: "Rolegrid",
    version: VERSION,
    description:
      "Access rights in a multi-tenant energy-data platform: roles and the manages relations between them, members, " +
      "account security, devices and their telemetry.\n\n" +
      "A manages relation links a parent role to a child role and carries up to six rights. The service itself checks " +
      "`roleManagement`, `userManagement` and `deviceManagement`; `viewManagement`, `reportManagement` and " +
      "`alarmManagement` are for the applications that use it.\n\n" +
      "A user is a direct member of the roles they were added to, and an indirect member of every role below those. On " +
      "a role itself, a direct member has its self rights (direct rights). On a role below it, they have the rights that " +
      "every relation along a path carries (indirect rights); several paths add up. Where an operation needs several " +
      "rights, one authorizing role, of which the caller is a member, must have all of them.\n\n" +
      "Errors are `{ statusCode, error, message }`. A request with `X-Error-Details: true` also gets, with a 400, the " +
      "list of malformed fields as `details`. A role, relation or device that does not exist gets the same error as " +
      "one that the caller may not see. A method that a path does not have gets a 405 with `Allow`.\n\n" +
      "Every response has an `X-Request-Id`: that of the request if it is 1 to 128 visible ASCII characters, and under " +
      "`/access` any.\n\n" +
      "The page `/docs` uses the session of the console in the same browser. To try it, sign in there and send " +
      "`GET /user`, which needs no input.",
    license: { name: "MIT", identifier: "MIT" },
  },
  tags: [
    { name: "Tokens", description: "Log in, and exchange tokens." },
    { name: "Sessions", description: "The sessions in which a user is logged in." },
    {
      name: "Second factors",
      description: "Passkeys, TOTP, email OTP and recovery codes: setup, login and step-up.",
    },
    { name: "Password", description: "Set, reset and change a password." },
    { name: "Email transfer", description: "Move an account to another email address, or undo that." },
    { name: "Account", description: "The data that the service stores about the caller." },
    { name: "Roles", description: "The roles of the hierarchy, and the rights of the caller on them." },
    { name: "Manages relations", description: "Which role manages which, and with which rights." },
    { name: "Members", description: "Which users are direct members of a role." },
    { name: "Keys", description: "Keys with which programs act as members of a role." },
    { name: "Access", description: "Who has access to a role, and what a person or key has access to." },
    { name: "Changes", description: "What changed, when, and by whom, refused attempts included." },
    { name: "Devices", description: "Devices and their properties." },
    { name: "Monitors relations", description: "Which role monitors which device." },
    { name: "Telemetry", description: "Time series of devices." },
    {
      name: "AuthZEN",
      description: "The AuthZEN Authorization API 1.0: decisions and searches for other services.",
    },
    { name: "Service", description: "Health and documentation of the service." },
  ],
  components: {
    headers: {
      Revision: {
        description:
          "Revision of the roles, relations, members and devices: after this change, or as it was read. It " +
          "never decreases. Without `limit`, that of the first page.",
        schema: { type: "integer", minimum: 0 },
      },
    },
    securitySchemes: {
      accessBearerAuth: {
        type: "http",
        scheme: "bearer",
        bearerFormat: "JWT",
        description: "Access token from `GET /auth/accesstoken`, valid for 10 minutes",
      },
      keyBearerAuth: {
        type: "http",
        scheme: "bearer",
        description:
          "Secret of a key from `POST /v1/role/{roleId}/key`, valid until the key ends. The caller is then the " +
          "key: a member of its role, with at most the rights of the key",
      },
      refreshBearerAuth: {
        type: "http",
        scheme: "bearer",
        description:
          "Refresh token from `POST /auth/login`, valid for 14 days; accepted by the token operations only",
      },
      sudoBearerAuth: {
        type: "http",
        scheme: "bearer",
        bearerFormat: "JWT",
        description:
          "Sudo token from a step-up with a second factor or the password, valid for 5 minutes. Under /v1 it is sent in " +
          "`X-Sudo-Token`, beside the access token",
      },
      partialBearerAuth: {
        type: "http",
        scheme: "bearer",
        bearerFormat: "JWT",
        description:
          "Partial token (`partialAuthToken`) from a login that needs a second factor, valid for 10 minutes",
      },
    },
  },
} satisfies Partial<GenerateSpecOptions["documentation"]>;
