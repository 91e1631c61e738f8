/** The error for an invalid configuration. The message lists every problem and repeats no value. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
