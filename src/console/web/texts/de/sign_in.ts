import type { Texts } from "../en.ts";

export const SIGN_IN: Texts["signIn"] = {
  title: "Anmelden",
  over: "Das hat zu lange gedauert, oder zu viele Codes waren falsch. Beginnen Sie noch einmal.",
  ended: "Ihre Sitzung ist beendet. Melden Sie sich wieder an: Was Sie gerade getan haben, ist noch da.",
  submit: "Anmelden",
  byPasskey: "Mit einem Passkey anmelden",
  forgot: "Passwort vergessen?",
  forgotTitle: "Neues Passwort wählen",
  forgotText:
    "Wir senden einen Link an Ihre Adresse, mit dem Sie ein neues Passwort wählen. Er ist 30 Minuten gültig.",
  forgotSubmit: "Link senden",
  forgotDone: "Wenn es zu dieser Adresse ein Konto gibt, ist eine E-Mail mit einem Link unterwegs.",
  factorTitle: "Zweiter Schritt",
  totp: "Code aus Ihrer Authenticator-App",
  emailOtp: "Code aus der E-Mail",
  recoveryCode: "Wiederherstellungscode",
  passkeyHint: "Ihr Gerät fragt nach Ihrem Fingerabdruck, Ihrem Gesicht oder seiner PIN.",
  hints: {
    totp: "Die sechs Ziffern, die die App gerade anzeigt.",
    emailOtp: "Sechs Ziffern. Sie sind 10 Minuten gültig, und nur hier.",
    recoveryCode:
      "Einer der Codes, die Sie beim Einrichten des zweiten Schritts gesichert haben. Jeder gilt nur einmal.",
  },
  emailOtpTo: "Wir senden einen Code an",
  emailOtpSend: "Code senden",
  emailOtpSent: "Ein Code ist unterwegs an",
  sendAgain: "Neuen Code senden",
  nextMail: (time) => `In ${time} kann ein neuer gesendet werden.`,
  factorSubmit: "Weiter",
  guesses: {
    malformed: "Das ist kein vollständiger Code. Es wurde nichts gesendet.",
    wrong: "Der Code ist falsch oder nicht mehr gültig.",
    wrongAndWait: (time) => `Der Code ist falsch. In ${time} können Sie es noch einmal versuchen.`,
    wait: (time) => `Zu viele falsche Codes. In ${time} können Sie es noch einmal versuchen.`,
  },
  other: {
    passkey: "Passkey verwenden",
    totp: "Authenticator-App verwenden",
    emailOtp: "Code per E-Mail erhalten",
    recoveryCode: "Wiederherstellungscode verwenden",
  },
  address: {
    title: {
      insecure: "Diese Seite braucht https",
      elsewhere: "Melden Sie sich unter einer anderen Adresse an",
    },
    text: {
      insecure:
        "Unter einer http-Adresse könnten andere im Netzwerk Ihr Passwort lesen. Es wurde nichts gesendet.",
      elsewhere: "Der Dienst nimmt unter dieser Adresse keine Anmeldung an. Es wurde nichts gesendet.",
    },
    open: (host) => `Zu ${host}`,
    ask: "Fragen Sie Ihre Administration nach der https-Adresse dieses Dienstes.",
  },
  startAgain: "Von vorn beginnen",
  demo: {
    title: "Ausprobieren",
    about: (name) =>
      `${name} weiß, wer auf einer Energieplattform was darf: vom Land über Installateure bis zu jedem Haus und seinen Geräten.`,
    stories: {
      why: "Warum darf Tom die Batterie auslesen, aber nicht verwalten?",
      sale: "Ein Haus ist verkauft: Geräte übergeben",
      past: "Wer hatte in den letzten 30 Tagen Zugriff auf das Haus?",
    },
    as: (name) => `Als ${name}`,
    people: "Oder mit einem Klick als eine dieser Personen anmelden",
    docs: "Die Schnittstelle für Programme",
    note: "Nur in der Entwicklung: Im produktiven Betrieb gibt es diese Liste nicht.",
  },
};
