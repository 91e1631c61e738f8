/** Line protocol is read as InfluxDB reads it, and points beside malformed ones are found. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { parseEachLine, parseLineProtocol, type Precision } from "../../src/telemetry/body/line_protocol.ts";
import type { KnownSeries, Point } from "../../src/telemetry/points/point.ts";
import { MAX_VALUES, PointError } from "../../src/telemetry/points/point_rules.ts";
import { MAX_TIME, MIN_TIME } from "../../src/telemetry/points/time.ts";

const NOW = 42n;

function parse(text: string, precision: Precision = "ns"): Point[] {
  return [...parseLineProtocol(text, { precision, now: NOW })];
}

function parseOne(text: string, precision: Precision = "ns"): Point {
  const [point, ...others] = parse(text, precision);
  assert.ok(point !== undefined && others.length === 0, text);
  return point;
}

/** The JSON text of the value written as `value`. */
function jsonOf(value: string): string | undefined {
  return parseOne(`m,nodeId=n f=${value}`).fields.get("f")?.json;
}

function refusedLine(text: string, precision: Precision = "ns"): number {
  try {
    parse(text, precision);
  } catch (error) {
    assert.ok(error instanceof PointError, String(error));
    return error.line;
  }
  assert.fail(`accepted: ${text.slice(0, 200)}`);
}

Deno.test("a point has a measurement, tags, fields of every kind and a time", () => {
  assert.deepEqual(parseOne('weather,nodeId=n,site=x a=1.5,b=2i,c=t,d="hi" 123'), {
    line: 1,
    key: {
      text: "weather,nodeId=n,site=x",
      measurement: "weather",
      tags: new Map([["nodeId", "n"], ["site", "x"]]),
    },
    time: 123n,
    fields: new Map([
      ["a", { kind: "number", json: "1.5" }],
      ["b", { kind: "number", json: "2" }],
      ["c", { kind: "boolean", json: "true" }],
      ["d", { kind: "string", json: '"hi"' }],
    ]),
  });
});

Deno.test("separators in names are escaped, and any other backslash is literal", () => {
  const point = parseOne(String.raw`a\,b\ c\=d\e=,nodeId=n,t\,\=\ \x=v\,\=\ \\y f\,\=\ \"\z=1`);
  assert.equal(point.key.measurement, String.raw`a,b c\=d\e=`);
  assert.deepEqual(point.key.tags, new Map([["nodeId", "n"], [String.raw`t,= \x`, String.raw`v,= \\y`]]));
  assert.deepEqual([...point.fields.keys()], [String.raw`f,= \"\z`]);
  assert.equal(parseOne(String.raw`m,nodeId=a\\,b f=1`).key.tags.get("nodeId"), String.raw`a\,b`);
  assert.equal(parseOne('m"x,nodeId="n" f=1').key.tags.get("nodeId"), '"n"');
});

Deno.test("in texts only quotes and backslashes are escaped, and separators and line breaks are literal", () => {
  assert.equal(JSON.parse(jsonOf(String.raw`"a\"b\\c\nd\,"`) ?? ""), String.raw`a"b\c\nd\,`);
  assert.equal(JSON.parse(jsonOf('" ,=#\n\r\n\t"') ?? ""), " ,=#\n\r\n\t");
  assert.equal(jsonOf('""'), '""');
  assert.equal(jsonOf(String.raw`"\\"`), String.raw`"\\"`);
});

Deno.test("numbers are read as InfluxDB reads them, and integers without loss", () => {
  const cases: [string, string][] = [
    ["1", "1"],
    ["1.", "1"],
    [".5", "0.5"],
    ["-.5", "-0.5"],
    ["-1.50", "-1.5"],
    ["01.5", "1.5"],
    ["1e3", "1000"],
    ["1E+3", "1000"],
    ["1.5e-3", "0.0015"],
    ["1e300", "1e+300"],
    ["1152921504606846976", "1152921504606847000.0"],
    ["0i", "0"],
    ["-0i", "0"],
    ["007i", "7"],
    ["-9i", "-9"],
    ["9007199254740993i", "9007199254740993"],
    ["9223372036854775807i", "9223372036854775807"],
    ["-9223372036854775808i", "-9223372036854775808"],
    ["0u", "0"],
    ["9223372036854775807u", "9223372036854775807"],
  ];
  for (const [text, json] of cases) assert.equal(jsonOf(text), json, text);
});

Deno.test("booleans have ten spellings", () => {
  for (const text of ["t", "T", "true", "True", "TRUE"]) assert.equal(jsonOf(text), "true");
  for (const text of ["f", "F", "false", "False", "FALSE"]) assert.equal(jsonOf(text), "false");
});

Deno.test("a timestamp counts units of the precision, and a point without one has the current time", () => {
  const units = { ns: 1n, us: 1_000n, ms: 1_000_000n, s: 1_000_000_000n } as const;
  for (const precision of ["ns", "us", "ms", "s"] as const) {
    assert.equal(parseOne("m,nodeId=n f=1 -7", precision).time, -7n * units[precision]);
    assert.equal(parseOne("m,nodeId=n f=1", precision).time, NOW);
    assert.equal(refusedLine(`m,nodeId=n f=1 ${MAX_TIME / units[precision] + 1n}`, precision), 1);
    assert.equal(refusedLine(`m,nodeId=n f=1 ${MIN_TIME / units[precision] - 1n}`, precision), 1);
  }
  assert.equal(parseOne(`m,nodeId=n f=1 ${MAX_TIME}`).time, MAX_TIME);
  assert.equal(parseOne(`m,nodeId=n f=1 ${MIN_TIME}`).time, MIN_TIME);
});

Deno.test("blank lines, comments, extra spaces and carriage returns are ignored", () => {
  const text =
    '\r\n \t\n# a "comment, m f=1\n#\r\n  m,nodeId=n   f=1,g="x"   5  \r\n\tm,nodeId=n f=2\r\n#end';
  const points = parse(text);
  assert.deepEqual(points.map(({ line, time, fields }) => [line, time, fields.get("f")?.json]), [
    [5, 5n, "1"],
    [6, NOW, "2"],
  ]);
  assert.deepEqual(parse(""), []);
  assert.deepEqual(parse("\n#x"), []);
  assert.equal(parseOne("m,nodeId=n f=1 5\r").time, 5n);
});

Deno.test("line numbers count physical lines, even after texts with line breaks", () => {
  const text = 'm,nodeId=n f="a\nb\r\nc" 1\n\nm,nodeId=n f=1 2\n';
  assert.deepEqual(parse(text).map((point) => point.line), [1, 5]);
  assert.equal(refusedLine(text + "m"), 6);
  assert.equal(refusedLine(text + 'm,nodeId=n f="a\nb\nc",g=no'), 6);
  assert.equal(refusedLine(text + 'm,nodeId=n f="a\nb\nc'), 6);
});

Deno.test("a float has the shortest text of its double", () => {
  const decimal = fc.tuple(fc.boolean(), fc.nat(99_999_999_999), fc.nat(8), fc.nat(3));
  fc.assert(fc.property(decimal, ([isNegative, digits, places, zeros]) => {
    const padded = String(digits).padStart(places + 1, "0");
    const text = `${isNegative ? "-" : ""}${padded.slice(0, padded.length - places)}.${
      padded.slice(padded.length - places)
    }${"0".repeat(zeros)}`;
    assert.equal(jsonOf(text), String(Number(text)), text);
  }));
});

Deno.test("the last value of a repeated field counts", () => {
  const { fields } = parseOne('m,nodeId=n f=1,g=2,f="x"');
  assert.deepEqual([...fields].map(([name, value]) => [name, value.json]), [["f", '"x"'], ["g", "2"]]);
});

Deno.test("inherited property names are ordinary names", () => {
  const { key: { tags }, fields } = parseOne("constructor,nodeId=n,__proto__=p __proto__x=1,toString=2");
  assert.equal(tags.get("__proto__"), "p");
  assert.deepEqual([...fields.keys()], ["__proto__x", "toString"]);
});

Deno.test("points share their key only if measurement and tags are equal", () => {
  const [a, b, c, d] = parse("m,nodeId=n f=1\nm,nodeId=n f=2\nx,nodeId=n f=1\nm,nodeId=n2 f=1");
  assert.equal(a?.key, b?.key);
  assert.equal(c?.key.measurement, "x");
  assert.equal(d?.key.tags.get("nodeId"), "n2");
});

Deno.test("a known measurement and tags are parsed only if asked for, and other fields are checked", () => {
  const known: KnownSeries = {
    field: "f",
    id: 1,
    kind: "number",
    grants: [],
    deletedSeries: 0,
    revision: 0,
    next: undefined,
  };
  const text = String.raw`m\ x,nodeId=n,a=b`;
  const recall = (asked: string): KnownSeries | undefined => asked === text ? known : undefined;
  const options = { precision: "ns", now: 0n, recall } as const;
  const [one, two, other] = parseLineProtocol(`${text} f=1 1\n${text} f=2,g=3 2\nm,nodeId=n f=1 3`, options);
  assert.equal(one?.key.known, known);
  assert.equal(one?.key, two?.key);
  assert.deepEqual([one?.key.measurement, one?.key.tags], ["m x", new Map([["nodeId", "n"], ["a", "b"]])]);
  assert.equal(other?.key.known, undefined);
  assert.throws(() => [...parseLineProtocol(`${text} f=1 1\n${text} a=2 1`, options)], {
    line: 2,
    message: "Expected a field name that differs from the tag names of the point",
  });
});

Deno.test("more than 100,000 values are refused with the line of the first surplus one", () => {
  const fields = Array.from({ length: 250 }, (_, i) => `f${i}=1`).join(",");
  const text = `m,nodeId=n ${fields}\n`.repeat(MAX_VALUES / 250);
  assert.equal(parse(text).length, MAX_VALUES / 250);
  const refusal = { line: MAX_VALUES / 250 + 3, message: "Expected at most 100000 values" };
  assert.throws(() => parse(`${text}\n#\nm,nodeId=n f=1`), refusal);
});

Deno.test("a point is refused at its first surplus field or tag, or where a text is too long, and not read further", () => {
  const fields = Array.from({ length: 256 }, (_, i) => `f${i}=1`).join(",");
  const tags = Array.from({ length: 31 }, (_, i) => `,t${i}=1`).join("");
  const spaces = "\\ ".repeat(2100);
  const quotes = '\\"'.repeat(4200);
  for (
    const [text, message] of [
      [`m,nodeId=n ${fields},&`, "Expected at most 256 fields"],
      [`m,nodeId=n ${"f=1,".repeat(256)}&`, "Expected at most 256 fields"],
      [`m,nodeId=n${tags},& f=1`, "Expected at most 32 tags"],
      [`m${spaces},& f=1`, "Expected shorter names and tag values"],
      [`m,nodeId=n ${spaces}`, "Expected shorter names and tag values"],
      [`m,nodeId=n f="${quotes}`, "Expected a string of at most 4096 bytes of well-formed UTF-8 without NUL"],
    ] as const
  ) assert.throws(() => parse(text), { name: "PointError", line: 1, message });
  assert.equal(parseOne(`m,nodeId=n${tags} ${fields}`).fields.size, 256);
});

Deno.test("any text is either parsed or refused with one of its lines", () => {
  const separators = [",", " ", "=", '"', "\\", "\n", "\r", "\t", "#"];
  const piece = fc.constantFrom("m", "nodeId=n", "f=1", "1", "i", "é", ...separators);
  fc.assert(fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
    const text = pieces.join("");
    try {
      for (const point of parse(text)) assert.ok(point.fields.size > 0 && point.key.tags.has("nodeId"));
    } catch (error) {
      assert.ok(error instanceof PointError);
      assert.ok(error.line >= 1 && error.line <= text.split("\n").length);
    }
  }));
});

/** Returns the first lines of the points that are left when the malformed ones are left out, and those of the latter. */
function parseEach(text: string): { points: Point[]; faults: number[] } {
  const all = [...parseEachLine(text, { precision: "ns", now: NOW })];
  return {
    points: all.flatMap((one) => one instanceof PointError ? [] : [one]),
    faults: all.flatMap((one) => one instanceof PointError ? [one.line] : []),
  };
}

Deno.test("no line of a text in a malformed point is read as a point", () => {
  const text = '"a\nm,nodeId=n f=666\nb"';
  const after = ['m,nodeId=n f="x\ny"', "m,nodeId=n f=1"];
  for (
    const bad of [
      `m,host=a f=${text}`,
      `m,nodeId=n g=NaN,f=${text}`,
      `m,nodeId=n f="${"x".repeat(5000)}\\"${text.slice(1)}`,
      `m,nodeId=n f=${text} x`,
      `m,nodeId=n f=${text}x`,
      `m,nodeId=n f= ${text}`,
      `m,nodeId=n f=x${text}`,
      `m,nodeId=n g,f=${text}`,
      `m,nodeId=n g=1,,f=${text}`,
      `m,nodeId=n g=5",f=${text}`,
      `m,nodeId=n,path=a\\\\ f=${text}`,
      `m,nodeId=n,path=a\\ f=${text}`,
      `m,host=a\\ b,t="x f=${text}`,
      `m,host="a,nodeId=" f=${text},g=NaN`,
      `m,nodeId=n g\\="a,f=${text},h=NaN`,
      `m,nodeId=n f=${text},g="c:\\\\",h=NaN`,
      `m,host=a\\\nm,nodeId=n f=666`,
      `m,nodeId=n f=5"\nm,nodeId=n,t="a f=${text},g=NaN`,
    ]
  ) {
    const { points } = parseEach(["m,nodeId=n f=0", bad, ...after].join("\n"));
    const found = points.map(({ fields }) => fields.get("f")?.json);
    assert.ok(!found.includes("666"), `${bad}: ${found}`);
    assert.deepEqual([found[0], found.at(-1)], ["0", "1"], bad);
  }
  const open = parseEach(`m,nodeId=n f=0\nm,nodeId=n f="a\nm,nodeId=n f=666\nm,nodeId=n f=666`);
  assert.deepEqual([open.points.length, open.faults], [1, [2]]);
});

Deno.test("the points beside malformed ones are those of the text without these", () => {
  const values = fc.constantFrom(
    "1",
    "NaN",
    '"a"',
    '"a\nm,nodeId=n f=666\n"',
    '"\\"\nm,nodeId=n f=666 \\\\"',
    '5"',
    "x\\",
  );
  const good = fc.tuple(fc.constantFrom("", ',t="', ',t=a\\ "b'), values).map(([tag, value]) =>
    `m,nodeId=n${tag} f=${value}`
  );
  const lines = fc.oneof(
    good,
    values.map((value) => `m,host=a g="b",f=${value}`),
    values.map((value) => `m,nodeId=n g=NaN,f=${value} 7`),
    fc.constantFrom("# it's f=\"", "", "x", "m\\", " \t\r"),
    fc.array(fc.constantFrom("m", "nodeId=n", "f=1", ",", " ", "=", '"', "\\", "\r", "\t", "#"), {
      maxLength: 12,
    }).map((all) => all.join("").replace(/^.*"/s, "?$&")),
  );
  fc.assert(fc.property(fc.array(lines, { maxLength: 8 }), fc.constantFrom("\n", "\r\n"), (all, end) => {
    const text = all.join(end);
    const physical = text.split("\n");
    const each = [...parseEachLine(text, { precision: "ns", now: NOW })];
    const kept = [...physical];
    each.forEach((one, index) => {
      if (!(one instanceof PointError)) return;
      const next = each[index + 1]?.line ?? physical.length + 1;
      kept.fill("", one.line - 1, next - 1);
    });
    const points = each.filter((one) => !(one instanceof PointError));
    assert.deepEqual(points, parse(kept.join("\n")));
    // Stray quotes leave it open what is a text.
    if (text.includes("?")) return;
    for (const { fields } of points) assert.notEqual(fields.get("f")?.json, "666");
  }));
});

Deno.test("malformed points with unclear quotes are read in linear time", () => {
  for (const line of ['m,nodeId=n f=5"\n', 'm,t=a\\ f="\n']) {
    const began = performance.now();
    assert.ok(parseEach(line.repeat(50_000)).faults.length > 0);
    // Quadratic time would be more than 10 s.
    assert.ok(performance.now() - began < 6000, line);
  }
});
