/** A module that is mutated, and the fast tests that have to notice. Paths are from the project's root. */
export interface Target {
  /** What `--only` takes: the path without `src/` and `.ts`. */
  readonly name: string;
  readonly source: string;
  readonly tests: readonly string[];
}

/**
 * Modules that compute without a database, each with those tests of it that run in about a second: every mutant costs a
 * run of them.
 */
const TESTS_OF: Readonly<Record<string, readonly string[]>> = {
  "role/rights": ["role/rights_test"],
  "role/closure": ["role/closure_computation_test"],
  "role/closure_comparison": ["role/closure_comparison_test"],
  "role/import_format": ["role/import_format_test"],
  "role/import_graph": ["role/import_graph_test"],
  "role/decision": ["role/decision_test"],
  "role/idempotency": ["role/request_fingerprint_test"],
  "role/role_password": ["role/role_password_rules_test"],
  "throttle/limits": ["throttle/limits_test"],
  "identity/refresh_token": ["identity/refresh_token_test"],
  "identity/signed_token": ["identity/access_token_test", "identity/signed_token_test"],
  "identity/access_token": ["identity/access_token_test", "identity/signed_token_test"],
  "identity/sudo_token": ["identity/signed_token_test"],
  "identity/partial_token": ["identity/signed_token_test"],
  "identity/token_keys": ["identity/token_keys_test"],
  "identity/one_time_code": ["identity/code_rules_test"],
  "identity/password_link": ["identity/code_rules_test"],
  "identity/recovery_set": ["identity/code_rules_test"],
  "core/codes": ["core/codes_test"],
  "core/encoding": ["core/encoding_test"],
  "core/secrets": ["core/secrets_test"],
  "core/keys": ["config_test", "core/keys_test"],
  "password/rules": ["password/rules_test"],
  "totp/rules": ["totp/rules_test"],
  "telemetry/time": ["telemetry/time_test"],
  "telemetry/bucket": ["telemetry/bucket_test"],
  "telemetry/parse_query": ["telemetry/parse_query_test", "telemetry/query_faults_test"],
  "telemetry/point_rules": ["telemetry/point_rules_test"],
};

export const TARGETS: readonly Target[] = Object.entries(TESTS_OF).map(([name, tests]) => ({
  name,
  source: `src/${name}.ts`,
  tests: tests.map((test) => `tests/${test}.ts`),
}));
