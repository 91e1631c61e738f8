import type { RIGHTS_EXPLAINED as EN } from "../en/rights_explained.ts";

export const RIGHTS_EXPLAINED: typeof EN = {
  title: "Wat de rechten betekenen",
  sentences: {
    roleManagement: "Rollen eronder maken, en ze hernoemen, verplaatsen en verwijderen.",
    userManagement: "Personen uitnodigen en verwijderen, en zien wie toegang heeft.",
    viewManagement: "Weergaven beheren, in de programma’s die deze dienst raadplegen.",
    deviceManagement: "Apparaten toevoegen en wijzigen, en schrijven wat ze meten.",
    reportManagement: "Rapporten beheren, in de programma’s die deze dienst raadplegen.",
    alarmManagement: "Alarmen beheren, in de programma’s die deze dienst raadplegen.",
  },
  sees: {
    name: "ziet het",
    text:
      "Elke weg naar een rol, ook zonder een recht, toont de rol, alles eronder, en wat de apparaten meten.",
  },
};
