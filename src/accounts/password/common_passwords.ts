let commonPasswords: ReadonlySet<string> | undefined;

/**
 * Whether a password is among the 50,000 most common ones of at least 8 characters, as it is or in lower case. The
 * first call loads and decodes the list, which takes tens of milliseconds; the package's own look-up would scan the list
 * at every call.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  commonPasswords ??= await loadCommonPasswords();
  return commonPasswords.has(password) || commonPasswords.has(password.toLowerCase());
}

async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  const [{ default: lines }, { default: incrementalEncoder }] = await Promise.all([
    import("fxa-common-password-list/src/encoded-passwords.js"),
    import("incremental-encoder"),
  ]);
  // The package is compiled to CommonJS, so its default export is a property of what the import returns.
  const passwords: string[] = new incrementalEncoder.default.Decoder().decode(lines.split("\n"));
  return new Set(passwords);
}
