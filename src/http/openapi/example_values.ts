/**
 * The values in all examples. They describe one imaginary service: each thing has one id, code or address, and no two
 * share a value, so that a test can replace each with a live one.
 */
export const EXAMPLE_IDS = {
  /** A root role, the role below it, and the one below that. */
  rootRole: 1001,
  role: 1017,
  childRole: 1042,
  newRole: 1043,
  /** A device that the role monitors, and a new one. */
  device: 1107,
  newDevice: 1112,
  /** The relations root role -> role and role -> child role, and a new one. */
  relationToRole: 2016,
  relationToChildRole: 2058,
  newRelation: 2071,
  /** The relation by which the role monitors the device. */
  monitors: 2066,
  /** A key of the role below the role. */
  key: 2084,
  /** The first and the second member of the root role. */
  firstMember: 2003,
  secondMember: 2063,
  user: 4021,
  secondUser: 4037,
  passkey: 4109,
  event: 8150,
  revision: 8206,
  /** That of the change by which the second member joined. */
  undoneRevision: 8190,
} as const;

/** Tokens and codes in requests and responses. None of them is valid. */
export const EXAMPLE_SECRETS = {
  password: "the example's own password",
  newPassword: "four words nobody guesses",
  rolePassword: "a password of a role",
  roleKey: "rgk_2084_ZXhhbXBsZS1vZi1hLWtleS1vZi1hLXJvbGUtZXhhbXBsZS1vZi1hLW00000000",
  accessToken: "eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiI0MDIxIn0.c2lnbmF0dXJl",
  sudoToken: "eyJhbGciOiJFZERTQSIsInR5cCI6InN1ZG8rand0In0.eyJzdWIiOiI0MDIxIn0.c2lnbmF0dXJl",
  refreshToken: "ZXhhbXBsZS1vZi1hLXNlc3Npb24.1.ZXhhbXBsZS1vZi1hLXRva2Vu",
  invitationToken: "example-of-the-token-of-an-invitation-link0",
  factorToken: "example-of-the-token-of-a-link-that-confirms",
  undoToken: "example-of-the-token-of-a-link-that-undoes0",
  resetCode: "K7M4QX",
  transferCode: "9WD2HN",
  emailCode: "T4P8VZ",
  appCode: "492039",
  recoveryCode: "7KQ2-M4XD-9RTB-W1ZH",
  passkeyChallenge: "ZXhhbXBsZS1vZi1hLXNlYWxlZC1jaGFsbGVuZ2U",
  credentialId: "ZXhhbXBsZS1vZi1hbi1pZA",
} as const;

export const EXAMPLE_NAMES = {
  email: "ada@example.com",
  secondEmail: "grace@example.com",
  invitedEmail: "edsger@example.com",
  forgetfulEmail: "joan@example.com",
  newEmail: "ada@example.org",
  codesEmail: "codes@example.com",
  nodeId: "house-meter-1",
  newNodeId: "heat-pump-1",
  sessionId: "k3VtZ1Qx0aYp7cRnW8sLfA",
  otherSessionId: "b9XwT5Hd2mGu4eKjN6qPzQ",
  client: "Firefox on Linux",
  address: "192.0.2.1",
} as const;

/** Times in responses, ISO 8601. */
export const EXAMPLE_TIMES = {
  created: "2026-01-01T09:00:00.000Z",
  latest: "2026-01-08T17:30:00.000Z",
  soon: "2026-01-08T17:40:00.000Z",
  later: "2026-04-01T09:00:00.000Z",
} as const;

/** An abridged HTML page. */
export const EXAMPLE_PAGE = '<!doctype html>\n<html lang="en">\n…\n</html>\n';

/** A set of ten recovery codes. */
export const EXAMPLE_RECOVERY_CODES = [
  EXAMPLE_SECRETS.recoveryCode,
  "0C5N-T8GW-K3JY-6QFP",
  "V2HB-7XME-4DRA-90ST",
  "QJ6K-1ZWC-8NPG-5TBY",
  "M9RD-3AFX-H7VE-2KWQ",
  "4TGS-J0PN-6CYB-X8DM",
  "E7WV-Q5RK-1HZT-3NAF",
  "8BXJ-M2CD-Y9GP-0RSE",
  "K4ND-6VTH-5WQA-7FJZ",
  "P1YG-9ESB-R3MX-C6TK",
] as const;
