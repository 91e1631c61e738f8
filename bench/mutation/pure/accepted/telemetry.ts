import { type Acceptance, ANY_ENTRY, ANY_TEXT } from "./acceptance.ts";

export const OF_TELEMETRY: readonly Acceptance[] = [
  {
    target: "telemetry/collect/readable_periods",
    lineText: "if (from !== undefined && to !== undefined && from > to) {",
    changes: [
      ["from !== undefined && to !== undefined", "true"],
      ["from !== undefined && to !== undefined", "from !== undefined || to !== undefined"],
      ["from !== undefined", "true"],
      ["to !== undefined", "true"],
    ],
    reason: "Undefined is not above a bound, and no bound above undefined.",
  },
  {
    target: "telemetry/collect/readable_periods",
    lineText: "return a < b ? -1 : a > b ? 1 : 0;",
    changes: [["a < b", "a <= b"], ["a > b", "false"]],
    reason: "Sorting looks only for numbers below 0, and equal ones may be in any order.",
  },
  {
    target: "telemetry/collect/readable_periods",
    lineText: "return a > b ? a : b;",
    changes: [["a > b", "a >= b"]],
    reason: "Equal numbers are the same.",
  },
  {
    target: "telemetry/collect/readable_periods",
    lineText: "return a < b ? a : b;",
    changes: [["a < b", "a <= b"]],
    reason: "Equal numbers are the same.",
  },
  {
    target: "telemetry/series/written_periods",
    lineText: "if (limited.size === 0) return needed;",
    changes: [["limited.size === 0", "false"]],
    reason: "Only slower: no series is of a device with bounds.",
  },
  {
    target: "telemetry/series/written_periods",
    lineText: "const present = grants.get(nodeId) ?? [];",
    changes: [["[]", ANY_ENTRY]],
    reason: "The nodeId is one of the grants'.",
  },
  {
    target: "telemetry/series/written_periods",
    lineText: "if (ms > span.last) span.last = ms;",
    changes: [["ms > span.last", "ms >= span.last"]],
    reason: "Equal times are the same.",
  },
  {
    target: "telemetry/body/json_elements",
    lineText: "for (let at = start; at < text.length; at++) {",
    changes: [["at < text.length", "at <= text.length"]],
    reason: "Behind the text there is no character that would be looked for.",
  },
  {
    target: "telemetry/points/time",
    lineText: "return time === undefined || time < MIN_TIME || time > MAX_TIME ? undefined : time;",
    changes: [["time === undefined", "false"]],
    reason: "Undefined is neither below nor above a bound, and is returned unchanged.",
  },
  {
    target: "telemetry/points/time",
    lineText: "return ns > MAX_TIME ? undefined : ns;",
    changes: [["ns > MAX_TIME", "ns >= MAX_TIME"]],
    reason: "The bound is not a whole number of seconds.",
  },
  {
    target: "telemetry/points/time",
    lineText: "if (rest < 0) {",
    changes: [["rest < 0", "rest <= 0"]],
    reason: "0 has been returned before.",
  },
  {
    target: "telemetry/points/time",
    lineText: 'const lastDate = { day: 0, text: "1970-01-01T" };',
    changes: [['{ day: 0, text: "1970-01-01T" }', "{}"]],
    reason: "The first date is then formatted like any other.",
  },
  {
    target: "telemetry/points/time",
    lineText: "if (day !== lastDate.day) {",
    changes: [["day !== lastDate.day", "true"]],
    reason: "Only slower: each date is formatted again.",
  },
  {
    target: "telemetry/points/time",
    lineText: "if (!(Math.abs(ms) < 1e13)) return undefined;",
    changes: [["Math.abs(ms) < 1e13", "Math.abs(ms) <= 1e13"]],
    reason: "The number is out of range, which is checked afterwards.",
  },
  {
    target: "telemetry/points/time",
    lineText: "return ms < 0 ? -ns : ns;",
    changes: [["ms < 0", "ms <= 0"]],
    reason: "0 is a whole number, which has been returned before.",
  },
  {
    target: "telemetry/points/time",
    lineText: "const parts = text.length > MAX_ISO_LENGTH ? null : ISO_TIME.exec(text);",
    changes: [["text.length > MAX_ISO_LENGTH", "false"]],
    reason: "Only slower: the pattern does not match more.",
  },
  {
    target: "telemetry/points/time",
    lineText:
      "if (year < 1677 || year > 2262 || month < 1 || month > 12 || day < 1 || day > daysOfMonth(year, month)) {",
    changes: [["year > 2262", "false"]],
    reason: "Later years are out of range, which is checked afterwards.",
  },
  {
    target: "telemetry/points/time",
    lineText: 'const offsetMs = (zoneHour * 60 + zoneMinute) * 60_000 * (parts[8] === "-" ? -1 : 1);',
    changes: [[
      '(zoneHour * 60 + zoneMinute) * 60_000 * (parts[8] === "-" ? -1 : 1)',
      '(zoneHour * 60 + zoneMinute) * 60_000 / (parts[8] === "-" ? -1 : 1)',
    ]],
    reason: "Multiplying by 1 or -1 is the same as dividing by it.",
  },
  {
    target: "telemetry/bucket/bucket",
    lineText: "knownSeries * KNOWN_SERIES_COST + newSeries * NEW_SERIES_COST;",
    changes: [["knownSeries * KNOWN_SERIES_COST", "knownSeries / KNOWN_SERIES_COST"]],
    reason: "A known series costs 1.",
  },
  {
    target: "telemetry/bucket/bucket",
    lineText: "const FULL_CALL = REQUEST_COST + MAX_QUERIES * QUERY_COST + MAX_RETURNED_POINTS * POINT_COST;",
    changes: [["MAX_RETURNED_POINTS * POINT_COST", "MAX_RETURNED_POINTS / POINT_COST"]],
    reason: "A point costs 1.",
  },
  {
    target: "telemetry/bucket/bucket",
    lineText: "const [, capacity, seconds] = /^([1-9][0-9]{0,11})\\/([1-9][0-9]{0,4})$/.exec(text) ?? [];",
    changes: [["[]", ANY_ENTRY]],
    reason: "The entry is in the place of the whole match, which is not used.",
  },
  {
    target: "telemetry/points/point_rules",
    lineText:
      "if (value.length * 3 > MAX_TEXT_BYTES && Buffer.byteLength(value) > MAX_TEXT_BYTES) return undefined;",
    changes: [["value.length * 3 > MAX_TEXT_BYTES", "true"], [
      "value.length * 3 > MAX_TEXT_BYTES",
      "value.length * 3 >= MAX_TEXT_BYTES",
    ]],
    reason: "Only slower: the exact count that follows gives the same result.",
  },
  {
    target: "telemetry/points/point_rules",
    lineText: 'if (text === "" || text.length > 2 * maxLength || !isStorable(text)) return false;',
    changes: [["text.length > 2 * maxLength", "false"]],
    reason: "Only slower: the exact count that follows gives the same result.",
  },
  {
    target: "telemetry/points/point_rules",
    lineText: "return text.length <= maxLength || [...text].length <= maxLength;",
    changes: [["text.length <= maxLength", "false"], ["text.length <= maxLength", "text.length < maxLength"]],
    reason: "Only slower: the exact count that follows gives the same result.",
  },
  {
    target: "telemetry/points/point_rules",
    lineText: "return text.length <= MAX_TAGS_LENGTH || [...text].length <= MAX_TAGS_LENGTH;",
    changes: [["text.length <= MAX_TAGS_LENGTH", "false"], [
      "text.length <= MAX_TAGS_LENGTH",
      "text.length < MAX_TAGS_LENGTH",
    ]],
    reason: "Only slower: the exact count that follows gives the same result.",
  },
  {
    target: "telemetry/collect/parse_query",
    lineText: 'nodeId: where.tags.get("nodeId") ?? "",',
    changes: [['""', ANY_TEXT]],
    reason: "For the types: tags without a nodeId have been refused.",
  },
  {
    target: "telemetry/collect/parse_query",
    lineText: "if (from === undefined || bound > from) from = bound;",
    changes: [["bound > from", "bound >= from"]],
    reason: "Equal bounds are the same bound.",
  },
  {
    target: "telemetry/collect/parse_query",
    lineText: "if (to === undefined || bound < to) to = bound;",
    changes: [["bound < to", "bound <= to"]],
    reason: "Equal bounds are the same bound.",
  },
  {
    target: "telemetry/collect/parse_query",
    lineText: "const result = v.safeParse(TelemetryQuerySchema, value, { abortEarly: true });",
    changes: [["{ abortEarly: true }", "{}"], ["true", "false"]],
    reason: "Only slower: it finds further faults, and the first one is still reported.",
  },
  {
    target: "telemetry/collect/parse_query",
    lineText: 'function boundsOf(conditions: WireQuery["where"]["time"] = []): Bounds {',
    changes: [["[]", ANY_ENTRY]],
    reason: "An entry with neither an operator nor a value sets no bound.",
  },
];
