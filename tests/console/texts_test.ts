import assert from "node:assert/strict";
import { isolate } from "../../src/console/web/texts/isolated.ts";
import { DE } from "../../src/console/web/texts/de.ts";
import { EN, type Texts } from "../../src/console/web/texts/en.ts";
import { EN_START } from "../../src/console/web/texts/en_start.ts";
import { FR } from "../../src/console/web/texts/fr.ts";
import { NL } from "../../src/console/web/texts/nl.ts";

const OTHERS: Readonly<Record<string, Texts>> = { Dutch: NL, French: FR, German: DE };

/** Texts that are, or may be, the same in another language as in English. */
const SAME = new Set([
  "hierarchy.box",
  "hierarchy.more",
  "hierarchy.zoom.whole",
  "change.effect.lose",
  "change.effect.gain",
  "change.create.name",
  "change.edit.name",
  "change.member.title",
  "why.person",
  "role.tabs.relations",
  "role.keys.name",
  "changes.revision",
  "changes.live",
  "changes.pause",
  "changes.filters.title",
  "demands.options.phishing-resistant",
  "devices.later",
  "devices.presets.week",
  "accountSecurity.overview.passkeys",
  "accountSecurity.passkey.name",
  "accountSecurity.totp.code",
  "accountData.tabs.sessions",
]);

/** Every text by where it is, such as `account.signOut`. Of a function, its source. */
function listTexts(texts: object, at = ""): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([key, value]) =>
      typeof value === "object"
        ? [...listTexts(value, `${at}${key}.`)]
        : [[`${at}${key}`, String(value)] as const]
    ),
  );
}

/** What a text leaves open, such as `{email}`. */
function listGaps(text: string): string[] {
  return (text.match(/(?<!\$)\{\w+\}/g) ?? []).sort();
}

const english = listTexts({ ...EN_START, ...EN });

for (const [language, texts] of Object.entries(OTHERS)) {
  Deno.test(`the console's ${language} texts are not left in English`, () => {
    const left = [...listTexts(texts)].filter(([at, text]) => text === english.get(at) && !SAME.has(at));
    assert.deepEqual(left, []);
  });

  Deno.test(`the console's ${language} texts have the same placeholders as the English ones`, () => {
    for (const [at, text] of listTexts(texts)) {
      assert.deepEqual(listGaps(text), listGaps(english.get(at) ?? ""), at);
    }
  });
}

/** What only screen readers read, where no name can turn the words round, and the names of files. */
const LABELS =
  /^(hierarchy\.(box|relation|relationLoses)|role\.(relations|people|keys)\.\w+Of|why\.link(OfMember)?|accountSecurity\.recovery\.purpose)$/;

Deno.test("plain texts of the console take names only isolated, which cannot turn the words round", async () => {
  const open: string[] = [];
  const folder = new URL("../../src/console/web/texts/en/", import.meta.url);
  for await (const { name: file } of Deno.readDir(folder)) {
    const source = await Deno.readTextFile(new URL(file, folder));
    const view = file.replace(".ts", "").replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase());
    const functions = source.matchAll(/^ +(\w+): \(([^)]*)\): string =>/gm);
    for (const [, text = "", parameters = ""] of functions) {
      if (
        !/\b(names?|email|role|parent|child|person|who|text|device|key): (readonly )?string/.test(parameters)
      ) {
        continue;
      }
      const at = [...english.keys()].filter((at) => at.startsWith(`${view}.`) && at.endsWith(`.${text}`));
      if (!at.some((each) => LABELS.test(each))) open.push(`${file}: ${text}`);
    }
  }
  assert.deepEqual(open, []);
});

Deno.test("an isolated name ends its own writing direction, whatever is in it", () => {
  const { done } = EN.change.create;
  for (const name of ["\u202eesrever", "\u2069\u202eesrever", "\u2067\u05d0\u05d1", "Site"]) {
    const text: string = done(isolate(name));
    assert.deepEqual(text.match(/[\u2066-\u2069]/g), ["\u2068", "\u2069"]);
    assert.ok(text.endsWith("\u2069 was created."));
  }
});

/** Looked up by what the service says. */
const BY_CODE =
  /^(problems|accountSecurity\.password\.refusals|accountData\.log\.(events|reasons)|demands\.(needs|options|stepUp\.(ask|none)))\./;

/** The words of the program, without the texts. */
async function readWords(folder: URL): Promise<Set<string>> {
  const words: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const url = new URL(isDirectory ? `${name}/` : name, folder);
    if (name === "texts" || name === "openapi_types.ts") continue;
    if (isDirectory) words.push(...await readWords(url));
    else if (/\.tsx?$/.test(name)) words.push(...(await Deno.readTextFile(url)).match(/\w+/g) ?? []);
  }
  return new Set(words);
}

Deno.test("every text of the console is used somewhere in the program", async () => {
  const words = await readWords(new URL("../../src/console/web/", import.meta.url));
  assert(words.size > 1000);
  const unused = [...english.keys()].filter((at) =>
    !BY_CODE.test(at) && !words.has(at.split(".").at(-1) ?? "")
  );
  assert.deepEqual(unused, []);
});
