/** The rules of a new password that are checked while typing. The service checks these and more. */

/** In code points of the composed form, close to what people count. */
const MIN_LENGTH = 8;
const MAX_LENGTH = 256;

interface PasswordNames {
  readonly old: string;
  readonly email: string;
  readonly issuerName: string;
}

/** Whether each rule is met, by the names of the rules in the texts. */
export interface PasswordChecks {
  readonly length: boolean;
  readonly old: boolean;
  readonly names: boolean;
}

/** Returns the length of a password as the service counts it. */
export function lengthOf(password: string): number {
  return [...password.normalize("NFC")].length;
}

/** Checks a password against the rules. An empty one meets none. */
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
