import { countIn } from "../plural.ts";

const count = countIn("en");

export const DEVICES = {
  title: "Devices",
  filters: "Which devices",
  idLabel: "Node ID, name or number",
  idHint: "Part of the ID or name, or the whole number",
  roleLabel: "Monitored by the role",
  search: "Find",
  clear: "Show all",
  none: "No device is monitored by your roles, or by roles below them.",
  noneOfRole: "This role monitors no devices.",
  noneBelow: "Neither this role nor a role below it monitors devices.",
  noneFound: "No device that you may see is like that.",
  noneYet: "None among the first ones.",
  noneHere: (n: number, isMore: boolean): string =>
    `None here, ${isMore ? "more than " : ""}${count(n, { one: "device", other: "devices" })} below.`,
  showBelow: "Show them",
  extent: "Of which roles",
  ofRole: "Of this role",
  withBelow: "And below",
  type: "Type",
  allTypes: "All types",
  property: "Property",
  propertyValue: "Its text",
  propertyFault: 'Without " and \\.',
  monitoredBy: "Monitored by",
  alsoMonitoredBy: "Also monitored by",
  moreRoles: (n: number): string => `and ${count(n, { one: "more role", other: "more roles" })}`,
  device: (id: number): string => `Device ${id}`,
  ended: {
    title: "Former devices",
    yours: "Yours to read",
    text:
      "No role of yours monitors this device any more. You may still read what was measured in that time, and no longer see what it is now.",
  },
  unknownTitle: "There is no such device",
  unknownText:
    "It may have been deleted, or you are not a member of a role that monitors it, or of one above such a role.",
  all: "All devices",
  changed: (time: string): string => `Changed on ${time}`,
  details: "About this device",
  mayChange: "You may change this device and write its measurements.",
  mayRead:
    "You may see this device and its measurements. To change it, you need device management on a role that monitors it, or role management there from a role above.",
  yourRights: "Your rights on the roles that monitor it",
  properties: "Properties",
  yes: "yes",
  no: "no",
  nothing: "empty",
  entries: (n: number): string => count(n, { one: "entry", other: "entries" }),
  characters: (n: number): string => count(n, { one: "character", other: "characters" }),

  measurements: "Measurements",
  noSeries:
    "This device does not say what it measures. Its property nodeInfluxSeries is where series are listed, each with database, measurement and fields.",
  unreadable: (n: number): string =>
    `${
      count(n, { one: "entry", other: "entries" })
    } of nodeInfluxSeries cannot be shown: an entry needs a database, a measurement and a list of fields.`,
  seriesPages: "More measurements",
  previousSeries: "Previous measurements",
  nextSeries: "Next measurements",
  pageOf: (page: number, pages: number): string => `Page ${page} of ${pages}`,
  explain: (time: string): string =>
    `Each point stands for ${time}: the line is the mean, and the band around a single line reaches from the lowest to the highest value. Drag over a plot to look closer; double-click to come back.`,
  edges: (times: readonly string[]): string =>
    `A dashed line marks where the time that you may read begins or ends: ${times.join("; ")}.`,
  onlyHours: "Of this time, only values by the hour are kept.",
  clipped: "You may read a part of this time only: for the rest of it, other roles monitored the device.",
  arrangement: { label: "Arrangement", together: "Over one another", each: "Each on its own" },
  lines: "Lines",
  moreLines: (n: number): string =>
    `${count(n, { one: "more line is", other: "more lines are" })} not drawn.`,
  noLines: "No line is chosen.",
  files: {
    label: "Save this plot",
    csv: "Save as CSV",
    png: "Save as PNG",
    saved: (file: string): string => `Saved as ${file}.`,
  },
  time: "Time",
  presets: { label: "Length of time", day: "Day", week: "Week", month: "Month", year: "Year" },
  days: {
    choose: "Choose days",
    first: "First day",
    last: "Last day",
    show: "Show these days",
    faults: {
      missing: "Both days are needed.",
      order: "The last day is before the first.",
      tooLong: "Those are more than ten years.",
    },
  },
  earlier: "Earlier",
  later: "Later",
  closer: "Closer",
  wider: "Wider",
  reset: "Back to now",
  summary: (lowest: string, mean: string, highest: string): string =>
    `Lowest ${lowest} · Mean ${mean} · Highest ${highest}`,
  latest: (value: string, time: string): string => `Latest ${value} (${time})`,
  plot: (field: string, time: string, summary: string): string =>
    `${field}, ${time}: ${summary}. The table below has the values.`,
  asTable: "Show as table",
  table: (field: string, time: string): string => `Values of ${field}, ${time}`,
  from: "From",
  lowest: "Lowest",
  mean: "Mean",
  highest: "Highest",
  values: "Values",
  never: "Nothing has been measured yet, or it is no longer kept.",
  latestValue: (time: string): string => `Latest value, of ${time}:`,
  showLatest: "Show that time",
  lacks: {
    empty: "Nothing was measured in this time.",
    forbidden:
      "You may not read these measurements: that needs membership of a role that monitors the device, or of one above it.",
    notNumbers: "These values are not numbers, so they cannot be drawn.",
    refused: "This series cannot be read: the service does not understand how the device describes it.",
  },
  tooMuch: "There are too many values in this time. Choose a shorter one.",
  tooOften: (time: string): string =>
    `You have read as many measurements as you may for now. They are read again in ${time}.`,
  away: "The measurements cannot be read at the moment.",
};
