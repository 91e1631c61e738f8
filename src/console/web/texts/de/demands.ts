import type { Texts } from "../en.ts";
import { parts } from "../parts.ts";
import { plural, roles } from "./words.ts";

const oneOf = plural("[diese Rolle|eine dieser # Rollen]");

export const DEMANDS: Texts["demands"] = {
  needs: {
    none: "nichts weiter als die Anmeldung",
    required: "eine Authenticator-App oder einen Passkey",
    "phishing-resistant": "einen Passkey",
  },
  options: {
    none: "Nichts weiter als die Anmeldung",
    required: "Authenticator-App oder Passkey",
    "phishing-resistant": "Passkey",
  },

  stepUp: {
    title: "Ihr zweiter Schritt ist nötig",
    ask: {
      required:
        "Für diese Rolle ist eine Authenticator-App oder ein Passkey nötig. Wenn Sie das einmal verwenden, gilt es bis zur Abmeldung.",
      "phishing-resistant":
        "Für diese Rolle ist ein Passkey nötig. Wenn Sie ihn einmal verwenden, gilt das bis zur Abmeldung.",
    },
    none: {
      required:
        "Ihr Konto hat keines von beiden. Richten Sie eines ein, und öffnen Sie dann den Link in der E-Mail, die wir Ihnen dazu senden: Erst damit zählt es. Codes per E-Mail und Wiederherstellungscodes genügen nicht.",
      "phishing-resistant":
        "Ihr Konto hat keinen. Fügen Sie einen hinzu, und öffnen Sie dann den Link in der E-Mail, die wir Ihnen dazu senden: Erst damit zählt er.",
    },
    unconfirmed:
      "Sie haben das eingerichtet, aber noch nicht bestätigt. Öffnen Sie den Link in der E-Mail, die wir Ihnen damals gesendet haben, und versuchen Sie es noch einmal.",
    toAccount: "Zu Ihrem Konto",
    button: "Zweiten Schritt verwenden",
    done: "Ihr zweiter Schritt gilt von jetzt an, bis Sie sich abmelden.",
  },

  dormant: {
    title: "Ruhende Mitgliedschaften",
    text:
      "Eine ruhende Mitgliedschaft gibt Ihnen nichts, als wären Sie kein Mitglied, bis diese Sitzung gezeigt hat, was die Rolle verlangt.",
    now: (needs) => `Ruht: braucht ${needs}.`,
    later: (needs) => `Ruht ab {from}: braucht dann ${needs}.`,
    banner: plural(
      "[Eine Ihrer Mitgliedschaften ruht|# Ihrer Mitgliedschaften ruhen]. Deshalb sehen Sie nicht alles, was zu Ihnen gehört.",
    ),
    bannerLater: "Ab {from} verlangt eine Rolle mehr von Ihnen, als diese Sitzung gezeigt hat.",
    which: "Mehr dazu",
  },

  policy: {
    title: "Was sie von ihren Mitgliedern verlangt",
    now: (needs) => `Um für diese Rolle zu handeln, brauchen ihre Mitglieder ${needs}.`,
    later: (needs, before) =>
      `Um für diese Rolle zu handeln, brauchen ihre Mitglieder ab {from} ${needs}. Bis dahin: ${before}.`,
    was: (needs) => `Davor: ${needs}.`,
    wasPlanned: (now, needs) => `Davor: ${now}, und ab {from} ${needs}.`,
    change: "Ändern, was sie verlangt",
    formTitle: (role) => parts`Was ${role} von Mitgliedern verlangt`,
    what: "Um für die Rolle zu handeln, brauchen Mitglieder",
    from: "Ab",
    fromHint: (zone) => `In Ihrer Zeitzone, ${zone}. Leer: sofort.`,
    choices: { now: "Sofort", week: "In einer Woche", month: "In 30 Tagen" },
    tooFar: (days) => `Das ist in mehr als ${days} Tagen.`,
    own: "Sie müssen das in dieser Sitzung selbst gezeigt haben; sonst werden Sie danach gefragt.",
    unchanged: "Das verlangt sie schon.",
    set: "Das verlangen",
    lift: "Nichts weiter verlangen",
    done: "Die Rolle verlangt das von ihren Mitgliedern.",
    lifted: "Die Rolle verlangt nichts weiter als die Anmeldung.",
    liftText: "Alle Mitglieder handeln wieder für sie, sobald sie angemeldet sind.",
    unmet: plural(
      "Von [einem anderen Mitglied|# anderen Mitgliedern] ist nicht bekannt, dass [es das hat. Seine Mitgliedschaft ruht dann, bis es das zeigt|sie das haben. Ihre Mitgliedschaften ruhen dann, bis sie es zeigen].",
      "Alle anderen Mitglieder haben das bei ihrer letzten Änderung schon gezeigt.",
    ),
    unmetHidden:
      "Sie dürfen die Mitglieder nicht sehen, deshalb steht hier nicht, wie viele das schon gezeigt haben.",
    keys:
      "Schlüssel von Programmen funktionieren weiter. Rollen, die später unter dieser angelegt werden, verlangen zuerst dasselbe.",
    noUndo: "Das lässt sich nicht im Protokoll rückgängig machen, aber hier neu festlegen.",
    forbidden:
      "Das dürfen Sie nicht festlegen: Dafür braucht es Rollenverwaltung von einer Rolle darüber aus oder, bei einer obersten Rolle, die ihrer Mitglieder.",
    noAwake:
      "Dann könnte niemand diese oberste Rolle verwalten: Zuerst muss ein Mitglied mit Rollenverwaltung, dessen Mitgliedschaft nicht endet, diesen zweiten Schritt zeigen und damit etwas ändern.",
  },

  several: {
    also: "Auch für eine andere Rolle",
    full: (most) => `Höchstens ${most} Rollen auf einmal.`,
    below: plural("Auch für # [Rolle|Rollen] direkt darunter"),
    manyBelow: (most) =>
      `Mehr als ${most} Rollen sind direkt darunter, und höchstens ${
        most + 1
      } lassen sich auf einmal wählen.`,
    leaveOut: "Weglassen: ",
    each: (n, needs, isLater) =>
      `Um für ${oneOf(n)} zu handeln, brauchen ihre Mitglieder${isLater ? " ab {from}" : ""} ${needs}.`,
    unmet: plural(
      "Soweit bekannt noch nicht gezeigt von # anderen [Mitglied|Mitgliedern]",
      "Alle anderen Mitglieder haben das gezeigt.",
    ),
    note:
      "Mitgliedschaften, für die es nicht gezeigt wurde, ruhen bis dahin. Schlüssel von Programmen funktionieren weiter. Rollen, die später unter einer von diesen angelegt werden, verlangen zuerst dasselbe.",
    roles,
    done: plural("# [Rolle wurde|Rollen wurden] geändert."),
  },
};
