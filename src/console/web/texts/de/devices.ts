import type { Texts } from "../en.ts";
import { plural, pluralOver } from "./words.ts";

export const DEVICES: Texts["devices"] = {
  filters: "Welche Geräte",
  idLabel: "Node-ID, Name oder Nummer",
  idHint: "Teil der ID oder des Namens, oder die ganze Nummer",
  roleLabel: "Überwacht von der Rolle",
  search: "Suchen",
  clear: "Alle anzeigen",
  none: "Ihre Rollen und die Rollen darunter überwachen keine Geräte.",
  noneOfRole: "Diese Rolle überwacht keine Geräte.",
  noneBelow: "Weder diese Rolle noch eine Rolle darunter überwacht Geräte.",
  noneFound: "Auf kein Gerät, das Sie sehen dürfen, trifft das zu.",
  noneYet: "Keines unter den ersten.",
  noneHere: pluralOver("Hier keine, # [Gerät|Geräte] darunter."),
  showBelow: "Anzeigen",
  extent: "Von welchen Rollen",
  ofRole: "Von dieser Rolle",
  withBelow: "Und darunter",
  type: "Art",
  allTypes: "Alle Arten",
  property: "Eigenschaft",
  propertyValue: "Text der Eigenschaft",
  propertyFault: 'Ohne " und \\.',
  monitoredBy: "Überwacht von",
  alsoMonitoredBy: "Auch überwacht von",
  moreRoles: plural("und # weiteren [Rolle|Rollen]"),
  device: (id) => `Gerät ${id}`,
  ended: {
    title: "Frühere Geräte",
    yours: "Für Sie lesbar",
    text:
      "Keine Ihrer Rollen überwacht dieses Gerät noch. Was in dieser Zeit gemessen wurde, dürfen Sie weiterhin lesen; was es jetzt ist, sehen Sie nicht mehr.",
  },
  unknownTitle: "Dieses Gerät gibt es nicht",
  unknownText:
    "Vielleicht wurde es gelöscht, oder Sie sind nicht Mitglied einer Rolle, die es überwacht oder die über einer solchen steht.",
  all: "Alle Geräte",
  changed: (time) => `Geändert am ${time}`,
  details: "Über dieses Gerät",
  mayChange: "Sie dürfen dieses Gerät ändern und Messwerte dafür schreiben.",
  mayRead:
    "Sie dürfen dieses Gerät und seine Messwerte ansehen. Um es zu ändern, brauchen Sie Geräteverwaltung für eine Rolle, die es überwacht, oder, von einer Rolle darüber aus, Rollenverwaltung für sie.",
  yourRights: "Ihre Rechte für die Rollen, die es überwachen",
  properties: "Eigenschaften",
  yes: "ja",
  no: "nein",
  nothing: "leer",
  entries: plural("# [Eintrag|Einträge]"),
  characters: plural("# Zeichen"),

  measurements: "Messwerte",
  noSeries:
    "Dieses Gerät sagt nicht, was es misst. Messreihen stehen in seiner Eigenschaft nodeInfluxSeries, jede mit database, measurement und fields.",
  unreadable: plural(
    "# [Eintrag von nodeInfluxSeries lässt|Einträge von nodeInfluxSeries lassen] sich nicht anzeigen: Ein Eintrag braucht eine database, ein measurement und eine Liste fields.",
  ),
  seriesPages: "Weitere Messwerte",
  previousSeries: "Vorherige Messwerte",
  nextSeries: "Nächste Messwerte",
  pageOf: (page, pages) => `Seite ${page} von ${pages}`,
  explain: (time) =>
    `Jeder Punkt steht für ${time}: Die Linie ist der Mittelwert, das Band um eine einzelne Linie reicht vom niedrigsten bis zum höchsten Wert. Ziehen Sie über ein Diagramm, um genauer hinzusehen; ein Doppelklick führt zurück.`,
  edges: (times) =>
    `Eine gestrichelte Linie zeigt, wo die Zeit, die Sie lesen dürfen, beginnt oder endet: ${
      times.join("; ")
    }.`,
  onlyHours: "Aus dieser Zeit sind nur Werte pro Stunde aufbewahrt.",
  clipped:
    "Sie dürfen nur einen Teil dieser Zeit lesen: In der übrigen haben andere Rollen das Gerät überwacht.",
  arrangement: { label: "Anordnung", together: "Übereinander", each: "Einzeln" },
  lines: "Linien",
  moreLines: plural("# weitere [Linie wird|Linien werden] nicht gezeichnet."),
  noLines: "Keine Linie ist ausgewählt.",
  files: {
    label: "Dieses Diagramm speichern",
    csv: "Als CSV speichern",
    png: "Als PNG speichern",
    saved: (file) => `Gespeichert als ${file}.`,
  },
  time: "Zeit",
  presets: { label: "Zeitraum", day: "Tag", week: "Woche", month: "Monat", year: "Jahr" },
  days: {
    choose: "Tage wählen",
    first: "Erster Tag",
    last: "Letzter Tag",
    show: "Diese Tage anzeigen",
    faults: {
      missing: "Beide Tage sind nötig.",
      order: "Der letzte Tag liegt vor dem ersten.",
      tooLong: "Das sind mehr als zehn Jahre.",
    },
  },
  earlier: "Früher",
  later: "Später",
  closer: "Kürzer",
  wider: "Länger",
  summary: (lowest, mean, highest) => `Minimum ${lowest} · Mittel ${mean} · Maximum ${highest}`,
  latest: (value, time) => `Zuletzt ${value} (${time})`,
  plot: (field, time, summary) => `${field}, ${time}: ${summary}. Die Werte stehen in der Tabelle darunter.`,
  asTable: "Als Tabelle anzeigen",
  table: (field, time) => `Werte von ${field}, ${time}`,
  from: "Ab",
  lowest: "Minimum",
  mean: "Mittel",
  highest: "Maximum",
  values: "Werte",
  never: "Es wurde noch nichts gemessen, oder es wird nicht mehr aufbewahrt.",
  latestValue: (time) => `Neuester Wert, vom ${time}:`,
  showLatest: "Diese Zeit anzeigen",
  lacks: {
    empty: "In dieser Zeit wurde nichts gemessen.",
    forbidden:
      "Sie dürfen diese Messwerte nicht lesen: Dazu müssen Sie Mitglied einer Rolle sein, die das Gerät überwacht oder über einer solchen steht.",
    notNumbers: "Diese Werte sind keine Zahlen und lassen sich deshalb nicht zeichnen.",
    refused:
      "Diese Messreihe lässt sich nicht lesen: Der Dienst versteht nicht, wie das Gerät sie beschreibt.",
  },
  tooMuch: "In dieser Zeit liegen zu viele Werte. Wählen Sie eine kürzere.",
  tooOften: (time) =>
    `Sie haben vorerst so viele Messwerte gelesen, wie Sie dürfen. In ${time} werden sie wieder gelesen.`,
  away: "Die Messwerte lassen sich im Moment nicht lesen.",
};
