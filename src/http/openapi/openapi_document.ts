import type { GenerateSpecOptions } from "hono-openapi";

/** The parts of the OpenAPI document that belong to no single operation. */
export const API_DOCUMENT = {
  openapi: "3.1.0",
  info: {
    title: "Rolegrid",
    version: "1.0.0",
    description:
      "Who may do what in a multi-tenant hierarchy: roles, the manages relations between them, members, the " +
      "security of their accounts, and devices with what they measure.\n\nErrors are `{ statusCode, error, message }`. A request with " +
      "`X-Error-Details: true` also gets, on a 400, the fields that are wrong.",
    license: { name: "MIT", identifier: "MIT" },
  },
  tags: [
    { name: "Tokens", description: "Log in, and turn one token into another." },
    { name: "Sessions", description: "Where a user is logged in." },
    { name: "Second factors", description: "Codes by mail or app, recovery codes, and step-up with them." },
    { name: "Password", description: "Setting a password." },
    { name: "Email transfer", description: "Moving an account to another address, and undoing it." },
    { name: "Own account", description: "What is held about the user, and leaving." },
    { name: "Roles", description: "The nodes of the hierarchy, and what the caller may do on them." },
    { name: "Manages relations", description: "Which role manages which, with which rights." },
    { name: "Members", description: "Which users a role has." },
    { name: "Devices", description: "What roles monitor, with properties of any kind." },
    { name: "Monitors relations", description: "Which role monitors which device." },
    { name: "Telemetry", description: "Points in time that devices write and roles read." },
    { name: "Service", description: "The service itself." },
  ],
  components: {
    securitySchemes: {
      accessBearerAuth: {
        type: "http",
        scheme: "bearer",
        bearerFormat: "JWT",
        description: "Access token, valid for 10 minutes, from `GET /auth/accesstoken`",
      },
      refreshBearerAuth: {
        type: "http",
        scheme: "bearer",
        description: "Refresh token, from `POST /auth/login`; accepted by the token operations only",
      },
      sudoBearerAuth: {
        type: "http",
        scheme: "bearer",
        bearerFormat: "JWT",
        description: "Sudo token, valid for 5 minutes: fresh proof of a second factor or of the password",
      },
      partialBearerAuth: {
        type: "http",
        scheme: "bearer",
        bearerFormat: "JWT",
        description: "Partial auth token, from a login that answers `2FA_REQUIRED`; completes that login",
      },
    },
  },
} satisfies Partial<GenerateSpecOptions["documentation"]>;
