import encodedPasswords from "fxa-common-password-list/src/encoded-passwords.js";
import incrementalEncoder from "incremental-encoder";

let commonPasswords: ReadonlySet<string> | undefined;

/**
 * Whether a password is among the 50,000 most common ones of 8 characters or more, as it is or in lower case. The
 * list is unpacked at the first call (tens of milliseconds); the package's own test searches it from end to end.
 */
export function isCommonPassword(password: string): boolean {
  commonPasswords ??= unpackCommonPasswords();
  return commonPasswords.has(password) || commonPasswords.has(password.toLowerCase());
}

function unpackCommonPasswords(): ReadonlySet<string> {
  const lines: string = encodedPasswords;
  // The package was compiled to CommonJS: its default export is a property of what an import answers.
  const passwords: string[] = new incrementalEncoder.default.Decoder().decode(lines.split("\n"));
  return new Set(passwords);
}
