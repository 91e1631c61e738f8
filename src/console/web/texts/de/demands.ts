import type { Texts } from "../en.ts";
import { countIn } from "../plural.ts";

const count = countIn("de");

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
    banner: (n) =>
      n === 1
        ? "Eine Ihrer Mitgliedschaften ruht. Deshalb sehen Sie nicht alles, was zu Ihnen gehört."
        : `${
          count(n, { other: "Ihrer Mitgliedschaften ruhen" })
        }. Deshalb sehen Sie nicht alles, was zu Ihnen gehört.`,
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
    formTitle: (role) => ["Was ", role, " von Mitgliedern verlangt"],
    what: "Um für die Rolle zu handeln, brauchen Mitglieder",
    from: "Ab",
    fromHint: (zone) => `In Ihrer Zeitzone, ${zone}. Leer: sofort.`,
    choices: { now: "Sofort", week: "In einer Woche", month: "In 30 Tagen" },
    tooFar: (days) => `Das ist in mehr als ${days} Tagen.`,
    unchanged: "Das verlangt sie schon.",
    set: "Das verlangen",
    lift: "Nichts weiter verlangen",
    working: "Wird gespeichert …",
    done: "Die Rolle verlangt das von ihren Mitgliedern.",
    lifted: "Die Rolle verlangt nichts weiter als die Anmeldung.",
    liftText: "Alle Mitglieder handeln wieder für sie, sobald sie angemeldet sind.",
    unmet: (n) =>
      n === 0
        ? "Alle anderen Mitglieder haben das bei ihrer letzten Änderung schon gezeigt."
        : n === 1
        ? "Von einem anderen Mitglied ist nicht bekannt, dass es das hat. Seine Mitgliedschaft ruht dann, bis es das zeigt."
        : `Von ${
          count(n, { other: "anderen Mitgliedern" })
        } ist nicht bekannt, dass sie das haben. Ihre Mitgliedschaften ruhen dann, bis sie es zeigen.`,
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
    below: (n) => `Auch für ${count(n, { one: "Rolle direkt darunter", other: "Rollen direkt darunter" })}`,
    manyBelow: (most) =>
      `Mehr als ${most} Rollen sind direkt darunter, und höchstens ${
        most + 1
      } lassen sich auf einmal wählen.`,
    leaveOut: "Weglassen: ",
    each: (n, needs, isLater) =>
      `Um für ${
        n === 1 ? "diese Rolle" : `eine dieser ${count(n, { other: "Rollen" })}`
      } zu handeln, brauchen ihre Mitglieder${isLater ? " ab {from}" : ""} ${needs}.`,
    unmet: (n) =>
      n === 0
        ? "Alle anderen Mitglieder haben das gezeigt."
        : `Soweit bekannt noch nicht gezeigt von ${
          count(n, { one: "anderen Mitglied", other: "anderen Mitgliedern" })
        }`,
    note:
      "Mitgliedschaften, für die es nicht gezeigt wurde, ruhen bis dahin. Schlüssel von Programmen funktionieren weiter. Rollen, die später unter einer von diesen angelegt werden, verlangen zuerst dasselbe.",
    roles: (n) => count(n, { one: "Rolle", other: "Rollen" }),
    done: (n) => count(n, { one: "Rolle wurde geändert.", other: "Rollen wurden geändert." }),
  },
};
