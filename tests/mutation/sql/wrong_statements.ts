import { ACCESS_STATEMENTS } from "./access_statements.ts";
import { ACCOUNT_STATEMENTS } from "./account_statements.ts";
import { AUTHZEN_STATEMENTS } from "./authzen_statements.ts";
import { CHANGE_LOG_STATEMENTS } from "./change_log_statements.ts";
import { CLOSURE_STATEMENTS } from "./closure_statements.ts";
import { DEVICE_STATEMENTS } from "./device_statements.ts";
import { FACTOR_STATEMENTS } from "./factor_statements.ts";
import { HISTORY_STATEMENTS } from "./history_statements.ts";
import { KEY_STATEMENTS } from "./key_statements.ts";
import { LIMIT_STATEMENTS } from "./limit_statements.ts";
import { LISTING_STATEMENTS } from "./listing_statements.ts";
import { MEMBER_STATEMENTS } from "./member_statements.ts";
import { PASSWORD_STATEMENTS } from "./password_statements.ts";
import { PREVIEW_STATEMENTS } from "./preview_statements.ts";
import { PROOF_STATEMENTS } from "./proof_statements.ts";
import { RELATION_STATEMENTS } from "./relation_statements.ts";
import { ROLE_STATEMENTS } from "./role_statements.ts";
import { SESSION_STATEMENTS } from "./session_statements.ts";
import { SIGN_IN_STATEMENTS } from "./sign_in_statements.ts";
import { TELEMETRY_STATEMENTS } from "./telemetry_statements.ts";
import { UPKEEP_STATEMENTS } from "./upkeep_statements.ts";
import type { WrongStatement } from "./wrong_statement.ts";

/** All statements made wrong by hand; each has to be caught by its tests. */
export const WRONG_STATEMENTS: readonly WrongStatement[] = [
  ...PROOF_STATEMENTS,
  ...SESSION_STATEMENTS,
  ...SIGN_IN_STATEMENTS,
  ...FACTOR_STATEMENTS,
  ...PASSWORD_STATEMENTS,
  ...ACCOUNT_STATEMENTS,
  ...UPKEEP_STATEMENTS,
  ...ROLE_STATEMENTS,
  ...MEMBER_STATEMENTS,
  ...LIMIT_STATEMENTS,
  ...KEY_STATEMENTS,
  ...LISTING_STATEMENTS,
  ...RELATION_STATEMENTS,
  ...CLOSURE_STATEMENTS,
  ...PREVIEW_STATEMENTS,
  ...HISTORY_STATEMENTS,
  ...DEVICE_STATEMENTS,
  ...CHANGE_LOG_STATEMENTS,
  ...ACCESS_STATEMENTS,
  ...TELEMETRY_STATEMENTS,
  ...AUTHZEN_STATEMENTS,
];
