/** Synsets are parsed, and chosen from the top. */
import assert from "node:assert/strict";
import { parseSynsets, readSynsets } from "./synsets.ts";

const DATA = `  1 a line of the licence
00001740 03 n 01 entity 0 001 ~ 00001930 n 0000 | that which is perceived
00001930 03 n 02 Thing 0 object 0 003 @ 00001740 n 0000 @ 00001740 n 0000 + 00694095 v 0101 | something
00002137 03 n 01 bank 0 002 @i 00001930 n 0000 @ 00001740 n 0000 | an instance | with a bar
`;
const INDEX = `  1 a line of the licence
bank n 2 2 @ ~ 2 1 00009999 00002137  
entity n 1 1 ~ 1 1 00001740  
thing n 1 2 @ ~ 1 1 00001930  
`;

Deno.test("synsets are parsed with sense numbers and hypernyms, including those of instances", () => {
  assert.deepEqual([...parseSynsets(DATA, INDEX).values()], [
    { offset: "00001740", name: "entity.n.01", hypernyms: [] },
    { offset: "00001930", name: "thing.n.01", hypernyms: ["00001740"] },
    { offset: "00002137", name: "bank.n.02", hypernyms: ["00001930", "00001740"] },
  ]);
});

Deno.test("the first synsets start at the top, and each is one level below a hypernym", async () => {
  const synsets = await readSynsets(2000);
  assert.equal(synsets.length, 2000);
  assert.deepEqual(synsets.slice(0, 3).map(({ name }) => name), [
    "entity.n.01",
    "physical_entity.n.01",
    "abstraction.n.06",
  ]);
  const depths = new Map<string, number>();
  for (const { offset, hypernyms, depth, name } of synsets) {
    const above = hypernyms.map((hypernym) => depths.get(hypernym)).filter((known) => known !== undefined);
    assert.equal(depth, depth === 0 ? 0 : Math.min(...above) + 1, name);
    depths.set(offset, depth);
  }
  assert.equal(new Set(synsets.map(({ name }) => name)).size, 2000, "two synsets have the same name");
});
