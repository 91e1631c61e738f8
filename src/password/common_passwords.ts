import encodedPasswords from "fxa-common-password-list/src/encoded-passwords.js";
import incrementalEncoder from "incremental-encoder";

let commonPasswords: ReadonlySet<string> | undefined;

/**
 * Whether a password, as it is or in lower case, is among the 50,000 most common of 8 characters or more. The first
 * call decodes the list, which takes tens of milliseconds; the package's own look-up would scan it each time.
 */
export function isCommonPassword(password: string): boolean {
  commonPasswords ??= unpackCommonPasswords();
  return commonPasswords.has(password) || commonPasswords.has(password.toLowerCase());
}

function unpackCommonPasswords(): ReadonlySet<string> {
  const lines: string = encodedPasswords;
  // The package is compiled to CommonJS, so an import has its default export as a property.
  const passwords: string[] = new incrementalEncoder.default.Decoder().decode(lines.split("\n"));
  return new Set(passwords);
}
