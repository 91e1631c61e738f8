import { printError } from "./output.ts";
import { TaskError } from "./run_task.ts";

const CTRL_C = "\x03";
const CTRL_D = "\x04";
const BACKSPACES: ReadonlySet<string> = new Set(["\b", "\x7f"]);
const LINE_ENDS: ReadonlySet<string> = new Set(["\r", "\n"]);

/** The used part of `Deno.stdin`. */
export interface PasswordInput {
  isTerminal(): boolean;
  setRaw(mode: boolean): void;
  readonly readable: ReadableStream<Uint8Array>;
}

/**
 * Reads a password from standard input: on a terminal typed twice without an echo, otherwise all of the input without
 * a final newline. Undefined if empty. Throws a `TaskError` if the two differ or the input is cancelled.
 */
export async function readPassword(input: PasswordInput = Deno.stdin): Promise<string | undefined> {
  const password = input.isTerminal() ? await askTwice(input) : await readAll(input.readable);
  return password === "" ? undefined : password;
}

async function readAll(readable: ReadableStream<Uint8Array>): Promise<string> {
  return (await new Response(readable).text()).replace(/\r?\n$/, "");
}

async function askTwice(input: PasswordInput): Promise<string> {
  const keys = readKeys(input.readable);
  input.setRaw(true);
  try {
    const password = await ask("Password (empty: mail an invitation): ", keys);
    if (password === "") return "";
    if (await ask("Repeat the password: ", keys) === password) return password;
  } finally {
    input.setRaw(false);
  }
  throw new TaskError("The two passwords are not the same. Nothing was changed.");
}

async function ask(question: string, keys: AsyncGenerator<string>): Promise<string> {
  Deno.stderr.writeSync(new TextEncoder().encode(question));
  const letters: string[] = [];
  for (;;) {
    const { value: key = CTRL_D } = await keys.next();
    if (key === CTRL_C || (key === CTRL_D && letters.length === 0)) {
      printError("");
      throw new TaskError("Cancelled. Nothing was changed.");
    }
    if (LINE_ENDS.has(key)) break;
    if (BACKSPACES.has(key)) letters.pop();
    else if (key >= " ") letters.push(key);
  }
  printError("");
  return letters.join("");
}

/** Yields the typed characters. */
async function* readKeys(readable: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = readable.pipeThrough(new TextDecoderStream()).getReader();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield* chunk.value;
}
