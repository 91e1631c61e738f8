/** The rules of a new password that can be checked while it is typed. The service checks these, and more. */

/** In characters as people count them, mostly: code points of the composed form. */
const MIN_LENGTH = 8;
const MAX_LENGTH = 256;

interface PasswordNames {
  readonly old: string;
  readonly email: string;
  readonly issuerName: string;
}

/** The rules by their names in the texts, and whether each is kept. */
export interface PasswordChecks {
  readonly length: boolean;
  readonly old: boolean;
  readonly names: boolean;
}

/** The length of a password as the service counts it. */
export function lengthOf(password: string): number {
  return [...password.normalize("NFC")].length;
}

/** Nothing is kept by a password that is not there yet. */
export function checkPassword(password: string, { old, email, issuerName }: PasswordNames): PasswordChecks {
  const length = lengthOf(password);
  const names = [email, email.slice(0, email.lastIndexOf("@")), issuerName].map(fold);
  return {
    length: length >= MIN_LENGTH && length <= MAX_LENGTH,
    old: length > 0 && password.normalize("NFC") !== old.normalize("NFC"),
    names: length > 0 && !names.includes(fold(password)),
  };
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().normalize("NFKC");
}
