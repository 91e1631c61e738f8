import { parseArgs } from "node:util";

/** An option of a task: a flag, or a text. */
export interface OptionDescription {
  readonly type: "boolean" | "string";
  readonly description: string;
  /** Name of the value in the usage; for texts. */
  readonly placeholder?: string;
  /** A single letter. */
  readonly short?: string;
  readonly default?: string;
}

export interface PositionalDescription {
  /** As shown in the usage: `FILE`. */
  readonly name: string;
  readonly description: string;
  readonly optional?: true;
  /** It may be given several times; the last one only. */
  readonly many?: true;
}

export type OptionDescriptions = Readonly<Record<string, OptionDescription>>;

export interface CommandDescription<O extends OptionDescriptions> {
  /** The name after `deno task`. */
  readonly name: string;
  readonly summary: string;
  readonly options: O;
  readonly positionals?: readonly PositionalDescription[];
  /** The task acts through the service (`openService`), whose settings it needs: always, or with this option. */
  readonly needsSettings?: true | `--${string}`;
}

const SETTINGS =
  `needs the settings of the service, its keys and mail included, in the environment or in .env:
docs/configuration.md lists them. A database that "deno task dev" made needs none.`;

/** The option values: true or false for flags; texts may be absent unless they have a default. */
export type OptionValues<O extends OptionDescriptions> = {
  readonly [K in keyof O]: O[K]["type"] extends "boolean" ? boolean
    : O[K] extends { readonly default: string } ? string
    : string | undefined;
};

export interface CommandLine<O extends OptionDescriptions> {
  readonly values: OptionValues<O>;
  readonly positionals: readonly string[];
}

/** The error for arguments that do not match. The message names the fault. */
export class CommandLineError extends Error {
  override readonly name = "CommandLineError";
}

const encoder = new TextEncoder();

/**
 * Parses the arguments of a task. Ends the process on `--help` (usage on standard output, status 0) and on wrong
 * arguments (message on standard error, status 2).
 */
export function parseCommandLine<const O extends OptionDescriptions>(
  description: CommandDescription<O>,
  args: readonly string[] = Deno.args,
): CommandLine<O> {
  if (asksForHelp(args)) {
    Deno.stdout.writeSync(encoder.encode(formatUsage(description)));
    Deno.exit(0);
  }
  try {
    return readCommandLine(description, args);
  } catch (error) {
    if (!(error instanceof CommandLineError)) throw error;
    const advice = `Try: deno task ${description.name} --help`;
    Deno.stderr.writeSync(encoder.encode(`${description.name}: ${error.message}\n${advice}\n`));
    Deno.exit(2);
  }
}

/**
 * Parses arguments. Throws a `CommandLineError` on an unknown, repeated or incomplete option, and on missing or
 * surplus arguments.
 */
export function readCommandLine<const O extends OptionDescriptions>(
  { options, positionals: expected = [] }: CommandDescription<O>,
  args: readonly string[],
): CommandLine<O> {
  const { values, positionals } = parseStrictly(options, args);
  const missing = expected[positionals.length];
  if (missing !== undefined && missing.optional !== true) {
    throw new CommandLineError(`${missing.name} is missing: ${missing.description}`);
  }
  const surplus = expected.at(-1)?.many === true ? undefined : positionals[expected.length];
  if (surplus !== undefined) throw new CommandLineError(`Unexpected argument "${surplus}"`);
  const complete: Record<string, string | boolean | undefined> = {};
  for (const [name, option] of Object.entries(options)) {
    complete[name] = values.get(name) ?? (option.type === "boolean" ? false : option.default);
  }
  return { values: complete as OptionValues<O>, positionals };
}

/** Returns the text of `--help`. */
function formatUsage<const O extends OptionDescriptions>(description: CommandDescription<O>): string {
  const { name, summary, options, positionals = [], needsSettings } = description;
  const subject = needsSettings === true ? "It" : `With ${needsSettings}, it`;
  const about = needsSettings ? `${summary}\n\n${subject} ${SETTINGS}` : summary;
  const words = positionals.map(({ name, optional, many }) => {
    const word = many === true ? `${name}...` : name;
    return optional === true ? `[${word}]` : word;
  });
  const rows: [string, string][] = positionals.map((p) => [p.name, p.description]);
  for (const [long, option] of Object.entries(options)) {
    const short = option.short === undefined ? "" : `-${option.short}, `;
    const value = option.type === "string" ? ` ${option.placeholder ?? "TEXT"}` : "";
    const standard = option.default === undefined ? "" : ` (default: ${option.default})`;
    rows.push([`${short}--${long}${value}`, option.description + standard]);
  }
  rows.push(["--help", "Show this text"]);
  const width = Math.max(...rows.map(([left]) => left.length));
  const lines = rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
  return [`Usage: deno task ${[name, ...words, "[options]"].join(" ")}`, "", about, "", ...lines, ""].join(
    "\n",
  );
}

function parseStrictly(
  options: OptionDescriptions,
  args: readonly string[],
): { values: Map<string, string | boolean>; positionals: readonly string[] } {
  const config: Record<string, { type: "boolean" | "string"; short?: string }> = {};
  for (const [name, { type, short }] of Object.entries(options)) {
    config[name] = short === undefined ? { type } : { type, short };
  }
  try {
    const { tokens, positionals } = parseArgs({
      args: [...args],
      options: config,
      allowPositionals: true,
      strict: true,
      tokens: true,
    });
    const values = new Map<string, string | boolean>();
    for (const token of tokens) {
      if (token.kind !== "option") continue;
      if (values.has(token.name)) throw new CommandLineError(`--${token.name} was given more than once`);
      values.set(token.name, token.value ?? true);
    }
    return { values, positionals };
  } catch (error) {
    if (error instanceof TypeError) throw new CommandLineError(error.message);
    throw error;
  }
}

/** Whether the arguments request help. `--help` takes precedence over wrong arguments, except after `--`. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end === -1 ? args.length : end).includes("--help");
}
