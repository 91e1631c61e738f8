/** The texts of four languages: complete, different from each other, and with the same parts. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { REFUSED_DECISIONS } from "../../src/changes/decision.ts";
import { isolate } from "../../src/console/web/texts/isolated.ts";
import { DE } from "../../src/console/web/texts/de.ts";
import { EN, type Texts } from "../../src/console/web/texts/en.ts";
import { EN_START } from "../../src/console/web/texts/en_start.ts";
import { FR } from "../../src/console/web/texts/fr.ts";
import { NL } from "../../src/console/web/texts/nl.ts";
import { gainsIn, moreIn, restoredIn } from "../../src/console/web/texts/change_effect.ts";
import { nameOrId } from "../../src/console/web/texts/parts.ts";
import {
  capped,
  chooseForms,
  countAllIn,
  countBoth,
  pluralIn,
  withFirst,
} from "../../src/console/web/texts/plural.ts";

const OTHERS: Readonly<Record<string, Texts>> = { Dutch: NL, French: FR, German: DE };

/** Texts that are, or may be, the same in another language as in English. */
const SAME = new Set([
  "hierarchy.box",
  "hierarchy.more",
  "hierarchy.zoom.whole",
  "rights.short.5",
  "words.name",
  "people.factors.passkey",
  "find.kinds.person",
  "find.kinds.page",
  "change.member.title",
  "role.tabs.relations",
  "changes.revision",
  "changes.live",
  "changes.pause",
  "changes.filters.title",
  "demands.options.phishing-resistant",
  "devices.later",
  "devices.presets.week",
  "devices.type",
  "deviceForms.create.nodeId",
  "deviceForms.properties.kinds.json",
  "deviceForms.properties.kinds.text",
  "accountSecurity.overview.passkeys",
  "accountSecurity.totp.code",
  "accountData.tabs.sessions",
  "person.id",
  "changes.person",
  "find.keys.names",
  "find.kinds.action",
]);

/** The sources of functions that are made of words, and have the same source in each language; with arguments. */
const MADE = ((plural) => {
  const { ofMany, ofOne } = gainsIn({
    list: () => "",
    roles: plural,
    who: { exact: "", atMost: "", about: "" },
    on: { exact: "", total: "", atMost: "", about: "" },
  });
  const amount = { people: 2, rights: [], roles: 2, bound: "exact" };
  return new Map<string, readonly unknown[]>([
    [String(plural), [2]],
    [String(capped(plural)), [2]],
    [String(countBoth(plural, plural)), [2, 2]],
    [String(countAllIn(new Intl.ListFormat("en"))("")), [2, 2, 2]],
    [String(restoredIn(() => "")), [{ roles: 2, devices: 2, relations: 2, monitors: 2, members: 2 }]],
    [String(withFirst(plural)), [["X"], 2]],
    [String(nameOrId("", "")), [2]],
    [String(moreIn(plural, "", String)), [2, 1]],
    [String(ofMany(plural)), [String, amount]],
    [String(ofOne("", "")), ["X", amount]],
  ]);
})(pluralIn("en")(""));

/** What tells a text from others: itself. Of a function, its source; of one that is made of words, what it says. */
function textOf(value: unknown): string {
  const sample = MADE.get(String(value));
  if (typeof value !== "function" || sample === undefined) return String(value);
  const said = [value(...sample)].flat().join("");
  assert.doesNotMatch(said, /[#|[\]]/, "the forms are well written");
  return said;
}

/** Every text by where it is, such as `account.signOut`. */
function listTexts(texts: object, at = ""): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([key, value]) =>
      typeof value === "object"
        ? [...listTexts(value, `${at}${key}.`)]
        : [[`${at}${key}`, textOf(value)] as const]
    ),
  );
}

/** What a text leaves open, such as `{email}`, in the first and the second of its forms. */
function listGaps(text: string): string[][] {
  return [true, false].map((isFirst) => (chooseForms(text, isFirst).match(/(?<!\$)\{\w+\}/g) ?? []).sort());
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

Deno.test("each event of the account has a text of what was done, and one of what was tried", () => {
  for (const { accountData: { log } } of [EN, ...Object.values(OTHERS)]) {
    for (const text of Object.values(log.events)) {
      for (const isDone of [true, false]) assert.doesNotMatch(chooseForms(text, isDone), /^$|[[|\]]/, text);
    }
  }
});

/** What only screen readers read, where no name can turn the words round, and the names of files. */
const LABELS =
  /^(hierarchy\.(box|relation|relationLoses)|(role\.(relations|people|keys)|people)\.\w+Of|why\.link(OfMember)?|accountSecurity\.recovery\.purpose)$/;

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

type Bound = "exact" | "atMost" | "about";

/** Sentences with a number, as they are shown. */
function sayCounts(
  { change, changes, hierarchy, role, demands, accountData, home }: Texts,
  n: number,
): string[] {
  const rights = ["viewManagement"] as const;
  const { effect, end, deletion, problems } = change;
  const bounds: readonly Bound[] = ["exact", "atMost", "about"];
  const restored = { roles: n, devices: n, relations: n, monitors: 0, members: n };
  // They list what there is, so something is.
  const lists = [
    effect.deletedMore("X", n, n),
    effect.deletedMany(n, n),
    effect.restored(restored),
    effect.leftOut(restored),
    end.ends(n, n, n),
    changes.deletedWith(n, n),
    accountData.leave.allManaged(n),
  ];
  const sentences: (string | readonly string[])[] = [
    ...n === 0 ? [] : lists,
    ...bounds.flatMap((bound) => {
      const amount = { people: n, rights, roles: n, bound };
      return [effect.lose(String, amount), effect.gain(String, amount), effect.loseOne("X", amount)];
    }),
    effect.onRoles(n, false),
    effect.onRoles(n, true),
    effect.unchanged(n),
    effect.more(n, 0),
    effect.onlyHidden(n),
    effect.you(rights, n, true),
    effect.youUnless(rights, n, false),
    effect.unmanagedMore("X", n, true),
    effect.unmanagedHidden(n, false),
    effect.unmanagedHidden(n, true),
    effect.deletedNames("X", n),
    deletion.title("X", n, n),
    deletion.done(isolate("X"), n, 0),
    problems.unmanagedRoles([isolate("X")], n),
    end.left(n, true),
    changes.showNew(n),
    changes.undo.tooOld(n),
    hierarchy.boxMore(n, n, true),
    hierarchy.boxBelow(n),
    hierarchy.below(n, n, n),
    hierarchy.above(n, true),
    role.subtitle(12, n),
    role.about.roles(n),
    role.people.hidden(n),
    role.people.others(n),
    role.file.saved("x.csv", n),
    demands.policy.unmet(n),
    accountData.log.attempts(n),
    accountData.leave.moreUnmanaged(n),
    home.people(n, true),
    home.devices(n, true),
  ];
  return sentences.map((sentence) => [sentence].flat().join(""));
}

/** What never follows the number 1, or is never said of it: plurals of things, and their verbs. */
const AFTER_ONE: Readonly<Record<string, RegExp>> = {
  English:
    /\b1 (more )?(people|roles|devices|relations|memberships|keys|changes|lines|days|attempts|children)\b|\b1 person (lose|gain)\b/,
  Dutch:
    /\b1 (\w+ )?(personen|rollen|apparaten|relaties|lidmaatschappen|sleutels|wijzigingen|regels|dagen|pogingen)\b|\b1 persoon (verliezen|krijgen)/,
  French: /\b[01] (autres? )?(\p{L}+s)\b|\b[01] personne (perdent|obtiennent)/u,
  German:
    /\b1 (weitere )?(Personen|Rollen|Geräte|Beziehungen|Mitgliedschaften|Schlüsseln|Änderungen|Zeilen|Tage|Versuche)\b|\b1 Person (verlieren|erhalten)/,
};

/** What never follows a larger number. */
const AFTER_MANY: Readonly<Record<string, RegExp>> = {
  English:
    /\b(0|2|1,000) (person|role|device|relation|membership|key|change|line|day|attempt)\b|people (loses|gains)\b/,
  Dutch:
    /\b(0|2|1\.000) (persoon|rol|apparaat|relatie|lidmaatschap|sleutel|wijziging|regel|dag|poging)\b|personen (verliest|krijgt)/,
  French:
    /\b(2|1\u202F000) (personne|rôle|appareil|relation|appartenance|clé|modification|ligne|jour|tentative)(?!\p{L})|personnes (perd|obtient)\b/u,
  German:
    /\b(0|2|1\.000) (Person|Rolle|Gerät|Beziehung|Mitgliedschaft|Änderung|Zeile|Tag|Versuch)\b|Personen (verliert|erhält)/,
};

for (const [language, texts] of Object.entries({ English: { ...EN_START, ...EN }, ...OTHERS })) {
  Deno.test(`the console's ${language} words agree with their numbers, which are written as people do`, () => {
    for (const n of [0, 1, 2, 1000]) {
      for (const sentence of sayCounts(texts, n)) {
        assert.doesNotMatch(sentence, AFTER_ONE[language] as RegExp);
        assert.doesNotMatch(sentence, AFTER_MANY[language] as RegExp);
        assert.doesNotMatch(sentence, /1000|undefined|, ,| {2}|\.\./);
      }
    }
  });
}

for (const [language, { changes, why }] of Object.entries({ English: { ...EN_START, ...EN }, ...OTHERS })) {
  Deno.test(`the log's ${language} sentences have no comma or space too many, whatever they name`, () => {
    const people = [changes.erasedPerson(5), changes.person(5), changes.administrator, changes.importer];
    const members = ["eva@example.com", changes.hiddenMember, changes.somebody];
    const roles = [changes.deletedRole("Site").join(""), changes.deletedRole(5).join(""), why.hiddenRole];
    const texts = Object.values(changes.sentences);
    for (const text of [true, false].flatMap((isDone) => texts.map((each) => chooseForms(each, isDone)))) {
      for (const [i, role] of roles.entries()) {
        const [who = "", member = "", parent = role] = [people[i], members[i], roles[(i + 1) % roles.length]];
        const others = { key: changes.key("K").join(""), device: "D", oldName: "Old" };
        const parts = new Map(Object.entries({ who, role, parent, member, ...others }));
        const sentence = text.replaceAll(/\{(\w+)\}/g, (_, name) => String(parts.get(name)));
        assert.doesNotMatch(sentence, /undefined|,\s*,|\s,|,\s*$|,\s*\)|\s{2}|^\s|\s$/);
      }
    }
  });
}

Deno.test("a count that stopped is said to be a lower bound, in every language", () => {
  for (
    const [language, least] of Object.entries({
      English: "at least 1",
      Dutch: "minstens 1",
      French: "au moins 1",
      German: "mindestens 1",
    })
  ) {
    const { change: { effect, end }, hierarchy, role, home, accountData } =
      ({ English: { ...EN_START, ...EN }, ...OTHERS } as Record<string, Texts>)[language] as Texts;
    const sentences = [
      effect.lose(String, { people: 1, rights: [], roles: 1000, bound: "about" }).join(""),
      effect.onRoles(1000, true),
      effect.you([], 1000, true),
      effect.unmanagedMore("X", 1000, true).join(""),
      effect.unmanagedHidden(1000, true),
      end.left(1000, true),
      hierarchy.boxBelow(100_000),
      hierarchy.boxMore(0, 100_000, true),
      hierarchy.below(100_000, 24, 100_000),
      hierarchy.above(100, true),
      role.subtitle(1, 100_000),
      role.about.roles(100_000),
      home.people(100, true),
      accountData.leave.moreUnmanaged(10),
    ];
    for (const sentence of sentences) assert.ok(sentence.toLowerCase().includes(least), sentence);
    assert.ok(!role.about.roles(99_999).toLowerCase().includes(least.slice(0, -2)));
  }
});

/** Looked up by what the service says, or by the name of a right. */
const BY_CODE =
  /^(problems|changes\.(sentences|kinds|decisions)|rights\.(names|short)|hierarchy\.rights\.sentences|accountSecurity\.password\.refusals|accountData\.log\.(events|reasons)|signIn\.demo\.stories|demands\.(needs|options|stepUp\.(ask|none)))\./;

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

/** Numbers inside of sentences are written by these, for a language. */
const OF_LANGUAGE = /^texts\//;

Deno.test("the console writes each time for the region of the browser", async () => {
  const folder = new URL("../../src/console/web/", import.meta.url);
  const files = (await readdir(folder, { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  let found = 0;
  for (const file of files.filter((name) => !OF_LANGUAGE.test(name))) {
    const text = await readFile(new URL(file, folder), "utf8");
    assert.doesNotMatch(text, /\.toLocale(Date|Time)?String\(/, file);
    for (const [call, argument] of text.matchAll(/new Intl\.\w+Format\((\S*?)[,)]/g)) {
      assert.match(argument ?? "", /^locale(\.value)?$/, `${call} in ${file}`);
      found++;
    }
  }
  assert.ok(found > 10, "the formats are found");
});

Deno.test("every decision in the log has a text", () => {
  assert.deepEqual(
    Object.keys(EN.changes.decisions).toSorted(),
    ["ok", "noop", ...REFUSED_DECISIONS].toSorted(),
  );
});
