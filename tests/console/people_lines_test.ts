/** Addresses that are pasted or read from a file. */
import assert from "node:assert/strict";
import { writeCsv } from "../../src/console/web/csv.ts";
import { readPeople, writePeople } from "../../src/console/web/views/change/people_lines.ts";
import { rights } from "../every_operation/request_catalogue.ts";

Deno.test("addresses are read as mail programs and spreadsheets copy them", () => {
  const copied = 'Eva Bakker <Eva@example.com>, "bo@example.com"; cem@example.com\r\n\r\n dee@example.com\t';
  assert.deepEqual(readPeople(copied), {
    people: [
      { line: 1, email: "eva@example.com" },
      { line: 1, email: "bo@example.com" },
      { line: 1, email: "cem@example.com" },
      { line: 3, email: "dee@example.com" },
    ],
    faults: [],
  });
  assert.deepEqual(readPeople(""), { people: [], faults: [] });
});

Deno.test("a table is read by its header, with ends and rights, and written so that it is read again", () => {
  const table = [
    "Until;Name;Email;rights",
    '2027-01-31;"Bakker; Eva";eva@example.com;viewManagement|alarmManagement',
    "2027-01-31T12:00+01:00;;bo@example.com;all",
    ";;cem@example.com;none",
    ";;dee@example.com;",
  ].join("\n");
  const { people, faults } = readPeople(table);
  assert.deepEqual(faults, []);
  assert.deepEqual(people.map(({ email, until, rights }) => [email, until, rights]), [
    ["eva@example.com", new Date("2027-01-31T23:59:59.999").toISOString(), {
      ...rights("viewManagement", "alarmManagement"),
    }],
    ["bo@example.com", "2027-01-31T11:00:00.000Z", null],
    ["cem@example.com", undefined, { ...rights() }],
    ["dee@example.com", undefined, undefined],
  ]);
  assert.deepEqual(readPeople(writePeople(people)).people, people);
});

Deno.test("a saved file keeps an address from being a formula, and is read with the address as it was", () => {
  const file = writeCsv([["email", "rights"], ["+eva@example.com", "all"], ["=bo", -1]]);
  assert.equal(file, "email,rights\r\n'+eva@example.com,all\r\n'=bo,-1\r\n");
  assert.equal(readPeople(file).people[0]?.email, "+eva@example.com");
});

Deno.test("what cannot be read is told with its line", () => {
  const { people, faults } = readPeople("eva@example.com\neva@\nEVA@example.com");
  assert.equal(people.length, 1);
  assert.deepEqual(faults, [{ line: 2, text: "eva@", kind: "address" }]);
  const twice = readPeople(
    "email,rights\neva@example.com,all\neva@example.com,all\neva@example.com,\nbo@example.com,\nbo@example.com,none",
  );
  assert.deepEqual([twice.people.length, twice.faults], [
    2,
    [{ line: 4, text: "eva@example.com", kind: "twice" }, { line: 6, text: "bo@example.com", kind: "twice" }],
  ]);
  const table = readPeople(
    "email,until,rights\na@example.com,soon,\nb@example.com,,viewing\nc@example.com\nd@example.com,2020-01-01",
  );
  assert.deepEqual(table.faults.map(({ line, kind }) => [line, kind]), [[2, "until"], [3, "rights"], [
    5,
    "past",
  ]]);
  assert.equal(table.people.length, 1);
});
