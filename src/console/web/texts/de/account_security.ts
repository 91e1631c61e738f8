import type { Texts } from "../en.ts";

export const ACCOUNT_SECURITY: Texts["accountSecurity"] = {
  tabs: { security: "Anmeldung" },
  sudo: {
    title: "Bestätigen Sie, dass Sie es sind",
    byFactor: "Diese Änderung verlangt noch einmal Ihren zweiten Schritt.",
    byPassword: "Diese Änderung verlangt noch einmal Ihr Passwort.",
    byClick: "In der Demo genügt ein Klick.",
    wrong: "Das Passwort ist falsch.",
    submit: "Bestätigen",
  },
  overview: {
    safe:
      "Sie melden sich mit Ihrem Passwort und einem zweiten Schritt an. Wer nur Ihr Passwort erfährt, kommt damit nicht hinein.",
    unsafe: "Sie melden sich nur mit Ihrem Passwort an. Ein zweiter Schritt hält alle fern, die es erfahren.",
    on: "Aktiv",
    off: "Nicht aktiv",
    since: "Seit",
    unconfirmed: "Noch nicht bestätigt: Öffnen Sie den Link in der E-Mail, die wir Ihnen gesendet haben.",
    setUp: "Einrichten",
    change: "Ändern",
    replace: "Ersetzen",
    turnOff: "Deaktivieren",
    passwordText: "Wenn Sie es ändern, werden Sie überall sonst abgemeldet.",
    passkeys: "Passkeys",
    passkeysText:
      "Ihr Fingerabdruck, Ihr Gesicht oder die PIN Ihres Geräts meldet Sie ohne Passwort an. Keine gefälschte Seite kann einen Passkey stehlen.",
    add: "Weiteren hinzufügen",
    totp: "Authenticator-App",
    totpText: "Eine App auf Ihrem Telefon zeigt einen Code, der alle 30 Sekunden wechselt.",
    emailOtp: "Codes per E-Mail",
    emailOtpText: "Bei jeder Anmeldung können wir Ihnen einen Code per E-Mail senden. Eine App ist sicherer.",
    emailOtpTo: "Codes gehen an",
    recoveryCodes: "Wiederherstellungscodes",
    recoveryCodesLater:
      "Für den Tag, an dem Sie Ihr Telefon verlieren. Sie erhalten sie, wenn Sie einen zweiten Schritt einrichten.",
    madeOn: "Erstellt am",
    left: (n) => `${n} von 10 übrig`,
    newCodes: "Neue erstellen",
    lastResort: "Wenn Sie alles verlieren",
    lastResortText:
      "Ohne Ihren zweiten Schritt und ohne Wiederherstellungscodes kann Sie nur die Administration dieses Dienstes wieder hineinlassen. Sie wird zuerst sicherstellen, dass wirklich Sie fragen.",
  },
  password: {
    title: "Passwort ändern",
    text:
      "Einige Wörter, auf die niemand kommt, ergeben ein gutes Passwort, und Sie können sie sich merken. Danach sind Sie überall außer hier abgemeldet.",
    old: "Bisheriges Passwort",
    submit: "Passwort ändern",
    done: "Ihr Passwort ist geändert. Überall sonst sind Sie abgemeldet.",
    rules: {
      label: "Was es erfüllen muss",
      length: (length) => `8 bis 256 Zeichen. Bisher sind es ${length}.`,
      old: "Nicht wieder das bisherige",
      names: "Nicht Ihre Adresse oder der Name dieses Dienstes",
      common: "Keines der Passwörter, die viele benutzen. Das prüfen wir beim Ändern.",
      kept: " (erfüllt)",
      notKept: " (noch nicht erfüllt)",
    },
    refusals: {
      RULE_BROKEN: "Das neue Passwort erfüllt noch nicht alles, was es erfüllen muss.",
      PASSWORD_INCORRECT: "Das bisherige Passwort ist falsch.",
      PASSWORD_TOO_SHORT: "Das neue Passwort ist zu kurz.",
      PASSWORD_TOO_LONG: "Das neue Passwort ist zu lang.",
      PASSWORD_TOO_COMMON:
        "Dieses Passwort wird sehr häufig benutzt und ist leicht zu erraten. Wählen Sie ein anderes.",
      PASSWORD_EQUALS_NAME:
        "Das neue Passwort ist Ihre Adresse oder der Name dieses Dienstes. Wählen Sie ein anderes.",
      PASSWORD_BREACHED:
        "Dieses Passwort ist bei einem anderen Dienst bekannt geworden. Wählen Sie ein anderes.",
    },
  },
  passkey: {
    title: "Passkey hinzufügen",
    text:
      "Ihr Gerät oder Ihr Passwortmanager erstellt den Passkey und bewahrt ihn auf. Sobald er bestätigt ist, meldet er Sie ohne Passwort an.",
    nameHint: "Daran erkennen Sie den Passkey in Ihrer Liste.",
    noName: "Ein Name hat 1 bis 64 Zeichen.",
    submit: "Passkey erstellen",
    working: "Ihr Gerät ist an der Reihe …",
    tooMany: "Sie haben schon 20 Passkeys. Entfernen Sie einen, den Sie nicht brauchen.",
    done: "Der Passkey ist bereit. Sie können ihn bei der nächsten Anmeldung verwenden.",
    unconfirmed:
      "Der Passkey ist erstellt. Ein Schritt fehlt noch, bevor er Sie ohne Passwort anmeldet: Öffnen Sie den Link in der E-Mail, die wir Ihnen gerade gesendet haben, und bestätigen Sie den Passkey dort. Bis dahin ist er ein zweiter Schritt nach Ihrem Passwort.",
    unused: "Erstellt am {made}, noch nicht verwendet.",
    used: "Erstellt am {made}, zuletzt verwendet am {used}.",
    synced: "Er ist auch auf Ihren anderen Geräten.",
    single: "Er ist nur auf einem Gerät.",
    rename: "Umbenennen",
    renameTitle: "Passkey umbenennen",
    renamed: "Der Passkey hat seinen neuen Namen.",
    removeTitle: "Diesen Passkey entfernen?",
    removeText:
      "Er meldet Sie dann nicht mehr an. Wenn Ihr Gerät ihn weiter anbietet, löschen Sie ihn auch dort.",
    removed: "Der Passkey ist entfernt.",
  },
  totp: {
    title: "Authenticator-App einrichten",
    replaceTitle: "Authenticator-App ersetzen",
    text:
      "Sie brauchen eine App, die Codes anzeigt: Viele Passwortmanager können das, und für jedes Telefon gibt es kostenlose Apps. Sie scannen damit ein Bild und geben dann den Code ein, den die App zeigt.",
    replaceText:
      "Sie scannen mit der neuen App ein Bild und geben dann den Code ein, den sie zeigt. Bis dahin funktioniert die bisherige App weiter.",
    begin: "Bild anzeigen",
    over: "Das Bild war 10 Minuten gültig. Beginnen Sie mit einem neuen.",
    scan: "Scannen Sie dieses Bild mit Ihrer App.",
    picture: "QR-Code für Ihre Authenticator-App",
    cannotScan: "Sie können es nicht scannen?",
    open: "In einer App auf diesem Gerät öffnen",
    type: "Oder geben Sie diesen Schlüssel in die App ein:",
    confirm: "Geben Sie den Code ein, den die App jetzt zeigt.",
    code: "Code",
    submit: "Aktivieren",
    done: "Die Authenticator-App ist aktiv. Sie brauchen sie bei der nächsten Anmeldung.",
  },
  emailOtp: {
    title: "Codes per E-Mail einrichten",
    changeTitle: "Adresse für Codes ändern",
    text:
      "Wenn Sie sich anmelden, senden wir Ihnen per E-Mail einen Code, den Sie eingeben. Wählen Sie ein Postfach, das sonst niemand liest, am besten eines mit eigenem zweitem Schritt.",
    address: "Adresse für Codes",
    addressHint: "Es darf eine andere sein als die Ihres Kontos.",
    send: "Code dorthin senden",
    over: "Das hat länger als 10 Minuten gedauert. Beginnen Sie noch einmal.",
    done: "Codes per E-Mail sind aktiv. Sie können sie bei der nächsten Anmeldung verwenden.",
  },
  recovery: {
    title: "Bewahren Sie Ihre Wiederherstellungscodes auf",
    text:
      "Wenn Sie Ihren zweiten Schritt verlieren, kommen Sie mit einem dieser Codes hinein. Jeder gilt nur einmal. Die Codes werden nicht wieder angezeigt: Drucken Sie sie aus oder bewahren Sie sie in Ihrem Passwortmanager auf, nicht nur auf Ihrem Telefon.",
    purpose: (service, email) => `Wiederherstellungscodes von ${email} für ${service}`,
    once: "Jeder Code gilt nur einmal, anstelle des Codes aus dem zweiten Schritt.",
    file: "wiederherstellungscodes.txt",
    print: "Drucken",
    download: "Als Datei speichern",
    done: "Ich habe sie gesichert",
    kept: "Ihre Wiederherstellungscodes sind bereit für den Tag, an dem Sie sie brauchen.",
    resetTitle: "Neue Wiederherstellungscodes erstellen?",
    resetText: "Ihre bisherigen Codes gelten dann nicht mehr, und Sie werden überall außer hier abgemeldet.",
    reset: "Neue Codes erstellen",
  },
  turnOff: {
    last:
      "Das ist Ihr einziger zweiter Schritt. Ohne ihn kommt jede Person hinein, die Ihr Passwort erfährt, und Ihre Wiederherstellungscodes werden gelöscht.",
    others: "Damit werden Sie überall außer hier abgemeldet.",
    totp: {
      title: "Authenticator-App deaktivieren?",
      text: "Nach ihren Codes wird nicht mehr gefragt. Sie können den Eintrag aus der App entfernen.",
      done: "Die Authenticator-App ist nicht mehr aktiv.",
    },
    emailOtp: {
      title: "Codes per E-Mail deaktivieren?",
      text: "Bei der Anmeldung werden keine Codes mehr per E-Mail gesendet.",
      done: "Codes per E-Mail sind nicht mehr aktiv.",
    },
  },
};
