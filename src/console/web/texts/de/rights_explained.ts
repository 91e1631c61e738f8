import type { RIGHTS_EXPLAINED as EN } from "../en/rights_explained.ts";

export const RIGHTS_EXPLAINED: typeof EN = {
  title: "Was die Rechte bedeuten",
  sentences: {
    roleManagement: "Rollen darunter anlegen, umbenennen, verschieben und löschen.",
    userManagement: "Personen einladen und entfernen, und sehen, wer Zugriff hat.",
    viewManagement: "Ansichten verwalten, in den Programmen, die diesen Dienst fragen.",
    deviceManagement: "Geräte hinzufügen und ändern, und schreiben, was sie messen.",
    reportManagement: "Berichte verwalten, in den Programmen, die diesen Dienst fragen.",
    alarmManagement: "Alarme verwalten, in den Programmen, die diesen Dienst fragen.",
  },
  sees: {
    name: "sieht es",
    text:
      "Jeder Weg zu einer Rolle, auch ohne ein Recht, zeigt die Rolle, alles darunter, und was ihre Geräte messen.",
  },
};
