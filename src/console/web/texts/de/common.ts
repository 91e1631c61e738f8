import type { COMMON as En } from "../en/common.ts";

export const COMMON: typeof En = {
  skip: "Zum Inhalt springen",
  loading: "Wird geladen …",
  working: "Einen Moment …",
  close: "Schließen",
  cancel: "Abbrechen",
  list: { more: "Mehr anzeigen", again: "Noch einmal versuchen" },
  copy: {
    button: "Kopieren",
    copied: "Kopiert",
    selected: "Markiert. Kopieren Sie es mit der Tastatur oder über das Menü.",
  },
  passwordField: {
    show: "Anzeigen",
    showLabel: "Eingabe anzeigen",
    hide: "Verbergen",
    hideLabel: "Eingabe verbergen",
  },
  finder: "Überall suchen",
  notAnAddress: "Das ist keine E-Mail-Adresse.",
  views: {
    label: "Ansichten",
    home: "Start",
    role: "Hierarchie",
    why: "Warum",
    changes: "Protokoll",
    devices: "Geräte",
    account: "Mein Konto",
    people: "Personen",
  },
  account: { menu: "Ihr Konto", signOut: "Abmelden", language: "Sprache" },
  theme: { label: "Darstellung", system: "Wie das Gerät", light: "Hell", dark: "Dunkel" },
  unknownPage: {
    title: "Diese Seite gibt es nicht",
    text:
      "Vielleicht enthält die Adresse einen Tippfehler, oder sie führt zu etwas, das Sie nicht sehen dürfen.",
    back: "Zur Hierarchie",
  },
  failure: {
    title: "Diese Seite lässt sich nicht anzeigen",
    text:
      "Vielleicht ist die Verbindung unterbrochen, oder der Dienst wurde inzwischen aktualisiert. Laden Sie die Seite neu.",
    reload: "Neu laden",
  },
  rights: {
    names: {
      roleManagement: "Rollenverwaltung",
      userManagement: "Benutzerverwaltung",
      viewManagement: "Ansichtenverwaltung",
      deviceManagement: "Geräteverwaltung",
      reportManagement: "Berichtsverwaltung",
      alarmManagement: "Alarmverwaltung",
    },
    short: ["Rollen", "Benutzer", "Ansichten", "Geräte", "Berichte", "Alarme"],
    held: "vorhanden",
    notHeld: "nicht vorhanden",
    lost: "geht hier verloren",
    none: "keine Rechte",
    wouldGain: (rights) => `würde ${rights} erhalten`,
    wouldLose: (rights) => `würde ${rights} verlieren`,
  },
  problems: {
    NETWORK: "Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung.",
    UNAVAILABLE: "Der Dienst ist überlastet oder wird gerade gewartet.",
    PASSWORD_INCORRECT: "Die Adresse oder das Passwort ist falsch.",
    wait: (time) => `Zu viele Versuche. Der nächste ist in ${time} möglich.`,
    again: "Sie können es jetzt noch einmal versuchen.",
    retried: "Ein neuer Versuch folgt von selbst.",
    OTP_INVALID_EXPIRED: "Der Code ist falsch oder abgelaufen.",
    NOT_CONFIRMED: "Es wurde nichts geändert, weil Sie nicht bestätigt haben, dass Sie es sind.",
    SECOND_FACTOR_REQUIRED: "Dafür braucht es einen zweiten Schritt, den diese Sitzung nicht gezeigt hat.",
    PASSKEY_NOT_GIVEN:
      "Es kam kein Passkey: Das wurde abgebrochen oder hat zu lange gedauert. Sie können es noch einmal versuchen.",
    PASSKEY_ALREADY_ACTIVE: "Auf diesem Gerät gibt es schon einen Passkey Ihres Kontos.",
    PASSKEYS_UNSUPPORTED: "Passkeys funktionieren in diesem Browser oder unter dieser Adresse nicht.",
    PASSKEY_INVALID:
      "Der Passkey wurde nicht angenommen. Vielleicht wurde er aus dem Konto entfernt, oder es hat zu lange gedauert.",
    PASSKEY_UNCONFIRMED:
      "Dieser Passkey ist noch nicht bestätigt. Öffnen Sie den Link in der E-Mail dazu, oder melden Sie sich mit Ihrem Passwort an.",
    PASSKEY_UNKNOWN: "Dieser Passkey wurde aus seinem Konto entfernt. Melden Sie sich auf andere Weise an.",
    PASSKEY_UNINITIALIZED: "In Ihrem Konto gibt es keinen Passkey mehr.",
    FORBIDDEN: "Das dürfen Sie nicht.",
    MALFORMED: "Etwas im Formular stimmt noch nicht.",
    UNKNOWN: "Das hat nicht funktioniert.",
  },
};
