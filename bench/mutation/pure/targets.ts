/** A mutated module, and the fast tests that must notice. Paths are relative to the project's root. */
export interface Target {
  /** The module's name for `--only`: the path without `src/` and `.ts`. */
  readonly name: string;
  readonly source: string;
  readonly tests: readonly string[];
}

/**
 * Modules that compute without a database, each with those of its tests that take about a second, because every
 * mutant costs a run of them.
 */
const TESTS_OF: Readonly<Record<string, readonly string[]>> = {
  "graph/rights": ["graph/rights_test"],
  "graph/closure/closure": ["graph/closure_computation_test"],
  "graph/closure/closure_comparison": ["graph/closure_comparison_test"],
  "transfer/roles/role_format": ["moving_in/role_format_test"],
  "transfer/roles/role_graph": ["moving_in/role_graph_test"],
  "changes/decision": ["changes/decision_test"],
  "changes/idempotency": ["changes/request_fingerprint_test"],
  "graph/history/lineage": ["graph/lineage_test"],
  "explain/why/explanation": ["explain/explanation_test"],
  "explain/why/ways": ["explain/ways_test"],
  "lists/name_prefix": ["lists/name_prefix_test"],
  "role/password/role_password": ["role/role_password_rules_test"],
  "throttle/networks": ["throttle/networks_test"],
  "identity/token/refresh_token": ["identity/refresh_token_test"],
  "identity/token/signed_token": ["identity/access_token_test", "identity/signed_token_test"],
  "identity/token/access_token": ["identity/access_token_test", "identity/signed_token_test"],
  "identity/token/sudo_token": ["identity/signed_token_test"],
  "identity/token/partial_token": ["identity/signed_token_test"],
  "identity/token/token_keys": ["identity/token_keys_test"],
  "identity/token/role_key": ["identity/role_key_test"],
  "identity/key_uses": ["identity/key_uses_test"],
  "identity/factor/one_time_code": ["identity/code_rules_test"],
  "identity/password_link": ["identity/code_rules_test"],
  "identity/factor/recovery_set": ["identity/code_rules_test"],
  "http/openapi/portable_schemas": ["http/portable_schemas_test"],
  "http/unmodified_since": ["http/unmodified_since_test"],
  "core/codes": ["core/codes_test"],
  "core/encoding": ["core/encoding_test"],
  "core/secrets": ["core/secrets_test"],
  "core/keys": ["service/config_test", "core/keys_test"],
  "accounts/password/rules": ["accounts/password/rules_test"],
  "accounts/factors/totp/rules": ["accounts/factors/totp_rules_test"],
  "telemetry/points/time": ["telemetry/time_test"],
  "telemetry/read_budget": ["telemetry/read_budget_test"],
  "telemetry/body/json_elements": ["telemetry/json_elements_test"],
  "telemetry/bucket/bucket": ["telemetry/bucket_test"],
  "telemetry/collect/readable_periods": ["telemetry/readable_periods_test"],
  "telemetry/series/written_periods": ["telemetry/written_periods_test"],
  "telemetry/collect/parse_query": ["telemetry/parse_query_test", "telemetry/query_faults_test"],
  "telemetry/collect/query_schema": ["telemetry/parse_query_test", "telemetry/query_faults_test"],
  "telemetry/points/point_schemas": ["telemetry/parse_query_test", "telemetry/query_faults_test"],
  "telemetry/points/point_rules": ["telemetry/point_rules_test"],
};

export const TARGETS: readonly Target[] = Object.entries(TESTS_OF).map(([name, tests]) => ({
  name,
  source: `src/${name}.ts`,
  tests: tests.map((test) => `tests/${test}.ts`),
}));
