import type { Texts } from "../en.ts";
import { moreRoles, plural } from "./words.ts";

export const ACCOUNT_DATA: Texts["accountData"] = {
  tabs: {
    profile: "Profil",
    sessions: "Sitzungen",
    log: "Sicherheitsprotokoll",
    data: "Ihre Daten",
  },
  changePassword: "ändern Sie Ihr Passwort",
  address: {
    current: "Sie melden sich mit {email} an, und E-Mails an Sie gehen dorthin.",
    change: "Adresse ändern",
    title: "E-Mail-Adresse ändern",
    intro:
      "Wir senden einen Code an die neue Adresse, um sicher zu sein, dass sie Ihnen gehört. Wenn Sie ihn eingeben, ändert sich die Adresse.",
    means: [
      "Ihre anderen Sitzungen werden dann beendet.",
      "Die alte Adresse erhält einen Link, der die Änderung rückgängig macht. Er ist 72 Stunden gültig.",
      "Solange der Link gültig ist, können Sie die Adresse nicht noch einmal ändern und Ihr Konto nicht löschen.",
    ],
    email: "Neue E-Mail-Adresse",
    send: "Code senden",
    haveCode: "Ich habe schon einen Code",
    codeTitle: "Code eingeben",
    sent: "Eine E-Mail mit einem Code ist unterwegs an {email}.",
    sentBefore: "Eine E-Mail mit einem Code ging an Ihre neue Adresse.",
    codeHint: "Sechs Zeichen, 10 Minuten gültig.",
    another: "Andere Adresse verwenden",
    notArrived:
      "Nach einer Minute noch keine E-Mail? Sehen Sie im Spam-Ordner nach, oder lassen Sie sich eine neue senden.",
    sentAgain: "Eine neue E-Mail ist unterwegs. Der Code davor ist nicht mehr gültig.",
    moved: {
      title: "Ihre Adresse ist geändert",
      now: "Ab jetzt melden Sie sich mit {email} an.",
      undo:
        "Falls das ein Versehen war: Eine E-Mail mit einem Link, der es rückgängig macht, ging an {email}. Der Link ist 72 Stunden gültig.",
      sessions: "Alle Ihre anderen Sitzungen wurden beendet.",
    },
    faults: {
      wait: (time) => `Vor kurzem wurde ein Code gesendet. Der nächste kann in ${time} gesendet werden.`,
      code: "Der Code ist falsch oder abgelaufen. Lassen Sie sich nach fünf falschen einen neuen senden.",
      inUse:
        "Ein anderes Konto hat diese Adresse oder kann sie innerhalb von 72 Stunden zurückerhalten. Verwenden Sie eine andere.",
      tooSoon:
        "Die Adresse wurde vor weniger als 72 Stunden geändert. Sie lässt sich wieder ändern, sobald das nicht mehr rückgängig gemacht werden kann.",
    },
  },
  language: {
    intro: "Diese Seite und die E-Mails an Sie sind in dieser Sprache.",
    differ: (page, mails) =>
      `Sprache dieser Seite: ${page}. Sprache der E-Mails an Sie: ${mails}. Wählen Sie eine für beide.`,
    label: "Sprache der Seite und der E-Mails",
    save: "Diese Sprache verwenden",
    saved: "Diese Seite und die E-Mails an Sie sind jetzt auf Deutsch.",
  },
  sessions: {
    title: "Wo Sie angemeldet sind",
    intro: "Wenn Sie eine Sitzung nicht wiedererkennen, beenden Sie sie und {change}.",
    none: "Es gibt keine Sitzungen.",
    current: "diese Sitzung",
    client: (browser, system) => `${browser} unter ${system}`,
    unknownClient: "Ein Programm, das seinen Namen nicht nennt",
    times: "Angemeldet am {created} · zuletzt aktiv am {used}",
    end: "Beenden",
    ended: "Die Sitzung ist beendet.",
    others: {
      open: "Alle anderen beenden",
      title: "Alle anderen Sitzungen beenden?",
      text: "Wer sie benutzt, muss sich neu anmelden. Hier bleiben Sie angemeldet.",
      done: "Alle anderen Sitzungen sind beendet.",
    },
    all: {
      open: "Überall abmelden",
      title: "Überall abmelden?",
      text: "Alle Ihre Sitzungen werden beendet, auch diese. Danach müssen Sie sich neu anmelden.",
    },
    withKeys: "Auch die Schlüssel löschen, die ich erstellt habe",
    withKeysHint:
      "Die Programme, die sie nutzen, verlieren sofort ihren Zugriff. Schlüssel von Rollen, die Sie verlassen haben, bleiben in Ihrer Liste.",
    doneWithKeys:
      "Alle anderen Sitzungen sind beendet, und die Schlüssel, die Sie erstellt haben, sind gelöscht.",
  },
  ownKeys: {
    title: "Schlüssel, die Sie erstellt haben",
    intro:
      "Ein Programm mit einem dieser Schlüssel handelt für eine Rolle, auch wenn Sie abgemeldet sind. Wenn Sie einen Schlüssel nicht wiedererkennen, löschen Sie ihn und {change}.",
    none: "Sie haben keine Schlüssel erstellt.",
    role: "Für die Rolle",
  },
  log: {
    title: "Was mit Ihrem Konto geschehen ist",
    intro: "Wenn etwas davon nicht von Ihnen war, {change} und beenden Sie die anderen Sitzungen.",
    none: "Noch ist nichts geschehen.",
    from: "von {address}",
    refused: "abgelehnt",
    attempts: plural("# [Versuch|Versuche] innerhalb einer Minute."),
    unknown: "Mit dem Konto ist etwas anderes geschehen.",
    events: {
      "login": "[Angemeldet|Versuch, sich anzumelden]",
      "logout": "[Abgemeldet|Versuch, sich abzumelden]",
      "session.end": "[Sitzungen beendet|Versuch, eine Sitzung zu beenden]",
      "session.end_by_manager": "Eine Person, die alle Ihre Rollen verwaltet, hat Ihre Sitzungen beendet",
      "session.refresh_token_reused":
        "Eine Sitzung wurde [beendet, weil ihr Geheimnis zweimal benutzt wurde: Vielleicht hatte es eine andere Person|beendet]",
      "session.operator":
        "[Die Administration hat in Ihrem Namen gearbeitet|Versuch der Administration, in Ihrem Namen zu arbeiten]",
      "password_reset_link.request":
        "[Link für ein neues Passwort angefordert|Versuch, einen Link per E-Mail zu erhalten]",
      "password_reset_otp.request":
        "[Code für ein neues Passwort angefordert|Versuch, einen Code per E-Mail zu erhalten]",
      "password_reset_otp.check": "Code aus einer E-Mail eingegeben",
      "password_reset_otp":
        "[Neues Passwort mit einem Code festgelegt|Versuch, mit einem Code ein neues Passwort festzulegen]",
      "password.reset_link":
        "[Neues Passwort mit einem Link festgelegt|Versuch, mit einem Link ein neues Passwort festzulegen]",
      "password.invitation_link": "[Erstes Passwort festgelegt|Versuch, das erste Passwort festzulegen]",
      "password.change": "[Passwort geändert|Versuch, das Passwort zu ändern]",
      "password.prove": "[Mit dem Passwort bestätigt|Versuch, mit dem Passwort zu bestätigen]",
      "email.initiate": "[Code für eine neue Adresse angefordert|Versuch, die Adresse zu ändern]",
      "email.transfer": "[Adresse geändert|Versuch, die Adresse zu ändern]",
      "email.undo":
        "[Änderung der Adresse rückgängig gemacht|Versuch, die Änderung der Adresse rückgängig zu machen]",
      "email_otp.setup": "[Einrichtung von Codes per E-Mail begonnen|Versuch, Codes per E-Mail einzurichten]",
      "email_otp.activate": "[Codes per E-Mail aktiviert|Versuch, Codes per E-Mail zu aktivieren]",
      "email_otp.challenge": "[Code per E-Mail angefordert|Versuch, einen Code per E-Mail zu erhalten]",
      "email_otp.authenticate":
        "[Mit einem Code aus einer E-Mail bestätigt|Versuch, mit einem Code aus einer E-Mail zu bestätigen]",
      "email_otp.deactivate": "[Codes per E-Mail deaktiviert|Versuch, Codes per E-Mail zu deaktivieren]",
      "totp.setup":
        "[Einrichtung einer Authenticator-App begonnen|Versuch, eine Authenticator-App einzurichten]",
      "totp.activate": "[Authenticator-App aktiviert|Versuch, die Authenticator-App zu aktivieren]",
      "totp.authenticate":
        "[Mit der Authenticator-App bestätigt|Versuch, mit der Authenticator-App zu bestätigen]",
      "totp.deactivate": "[Authenticator-App deaktiviert|Versuch, die Authenticator-App zu deaktivieren]",
      "passkey.activate": "[Passkey hinzugefügt|Versuch, einen Passkey hinzuzufügen]",
      "passkey.authenticate": "[Mit einem Passkey bestätigt|Versuch, mit einem Passkey zu bestätigen]",
      "passkey.login": "[Mit einem Passkey angemeldet|Versuch, sich mit einem Passkey anzumelden]",
      "passkey.rename": "[Passkey umbenannt|Versuch, einen Passkey umzubenennen]",
      "passkey.deactivate": "[Passkey entfernt|Versuch, einen Passkey zu entfernen]",
      "factor.confirm":
        "[Neue Art der Anmeldung bestätigt|Versuch, eine neue Art der Anmeldung zu bestätigen]",
      "recovery_code.authenticate":
        "[Mit einem Wiederherstellungscode bestätigt|Versuch, mit einem Wiederherstellungscode zu bestätigen]",
      "recovery_code.reset":
        "[Neue Wiederherstellungscodes erstellt|Versuch, neue Wiederherstellungscodes zu erstellen]",
      "account.import":
        "[Ein Import hat das Konto angelegt oder ergänzt|Ein Import wollte das Konto anlegen oder ergänzen]",
      "account.delete": "[Konto gelöscht|Versuch, das Konto zu löschen]",
      "operator.factor_disabled":
        "[Die Administration hat einen zweiten Schritt deaktiviert|Versuch der Administration, einen zweiten Schritt zu deaktivieren]",
      "operator.unlocked":
        "[Die Administration hat die Wartezeiten nach falschen Versuchen aufgehoben|Versuch der Administration, die Wartezeiten nach falschen Versuchen aufzuheben]",
      "operator.sessions_ended":
        "[Die Administration hat Ihre Sitzungen beendet|Versuch der Administration, Ihre Sitzungen zu beenden]",
      "operator.invitation_resent":
        "[Die Administration hat die Einladung noch einmal gesendet|Versuch der Administration, die Einladung noch einmal zu senden]",
    },
    reasons: {
      started: "Es wurde nicht abgeschlossen.",
      abandoned:
        "Der Dienst war überlastet und konnte es nicht prüfen. Als falscher Versuch hat es nicht gezählt.",
      wrong: "Die Eingabe war falsch.",
      unreadable: "Das gespeicherte Passwort ist nicht lesbar: Ein neues muss per E-Mail festgelegt werden.",
      copied:
        "Der Passkey hatte weniger Verwendungen gezählt als zuvor: Vielleicht hat eine andere Person eine Kopie davon.",
      waiting: "Es kam zu früh: Nach falschen Versuchen oder nach E-Mails muss man erst warten.",
      outdated: "Etwas anderes hatte es inzwischen geändert.",
      void: "Etwas anderes hatte das Konto inzwischen geändert.",
      over: "Die Sitzung oder die Anmeldung war inzwischen beendet.",
      proof_required: "Es musste zuerst bestätigt werden.",
      second_factor: "Das Passwort war richtig. Ein zweiter Schritt musste folgen.",
      activation: "Zum Aktivieren.",
      uninitialized: "Es war nicht eingerichtet.",
      inactive: "Es war nicht aktiv.",
      disabled: "Es war deaktiviert.",
      needs_codes: "Zuerst musste es Wiederherstellungscodes geben.",
      no_code: "Zu dieser Zeit war kein Code gültig.",
      in_use: "Ein Konto hat das schon oder kann es zurückerhalten.",
      unconfirmed: "Der Passkey war noch nicht bestätigt.",
      unknown: "Einen solchen Passkey hatte das Konto nicht.",
      too_soon: "Die letzte Änderung der Adresse ließ sich noch rückgängig machen.",
      too_many: "Es gab schon zu viele.",
      transferred: "Eine Änderung der Adresse ließ sich noch rückgängig machen.",
      root_without_member: "Eine der obersten Rollen hätte niemand mehr verwalten können.",
      has_password: "Das Konto hatte schon ein Passwort.",
      no_role: "Das Konto gehörte zu keiner Rolle.",
      denied: "Diese Sitzung gab es nicht mehr.",
      ended: "Ändern Sie Ihr Passwort, wenn Sie nicht sicher sind, warum.",
    },
  },
  own: {
    title: "Ihre Daten mitnehmen",
    intro:
      "Alles, was über Sie gespeichert ist, in einer Datei (JSON): Ihr Konto, Ihre Rollen, Ihre Sitzungen und das Sicherheitsprotokoll. Passwörter und andere Geheimnisse sind nicht dabei.",
    saved: "Ihre Daten sind als Datei gespeichert.",
    running: (time) => `Ein anderer Export von Ihnen läuft noch. Versuchen Sie es in ${time} noch einmal.`,
  },
  leave: {
    title: "Konto löschen",
    intro: "Zuerst sehen Sie, was aus Ihren Rollen wird. Noch wird nichts gelöscht.",
    open: "Ansehen, was das bedeutet",
    means: [
      "Sie können sich nicht mehr anmelden, und alle Ihre Sitzungen werden beendet.",
      "Sie sind in keiner Rolle mehr Mitglied.",
      "Ihr Passwort, zweite Schritte, Codes und Links werden gelöscht.",
      "Was Sie getan haben, bleibt in den Protokollen, ohne Ihren Namen und Ihre Netzwerkadressen.",
      "Passwörter, die Sie für Rollen festgelegt haben, gelten nicht mehr. Schlüssel, die Sie für Programme erstellt haben, gelten weiter.",
      "Niemand kann das Konto zurückholen, auch nicht die Administration des Dienstes.",
    ],
    roles: "Ihre Rollen",
    looking: "Ihre Rollen werden geprüft …",
    noRoles: "Sie sind in keiner Rolle Mitglied.",
    allManaged: plural(
      "Sie sind Mitglied [einer Rolle|von # Rollen]. Auch ohne Sie kann jede Rolle weiterhin verwaltet werden.",
    ),
    unmanaged: "Ohne Sie könnte niemand mehr diese Rollen verwalten. Finden Sie zuerst eine andere Person:",
    moreUnmanaged: (n) => `Und ${moreRoles(n, true)}.`,
    keeps:
      "Sie sind die letzte Person, die eine oberste Rolle unbefristet verwaltet. Deshalb können Sie nicht gehen. Machen Sie zuerst eine andere Person unbefristet und mit Rollenverwaltung zum Mitglied:",
    partial:
      "Nicht alle Ihre Rollen konnten geprüft werden. Vielleicht gibt es weitere, die niemand mehr verwalten könnte.",
    oneByOne:
      "Jede Ihrer Mitgliedschaften wurde für sich geprüft. Eine Rolle, die nur Sie über mehrere davon verwalten, fällt dabei nicht auf.",
    typeAddress: "Um das Konto zu löschen, geben Sie {email} ein.",
    confirm: "Ihre E-Mail-Adresse",
    different: "Das ist nicht die Adresse Ihres Kontos.",
    submit: "Mein Konto löschen",
    keepsNow:
      "Inzwischen sind Sie die letzte Person, die eine Ihrer Rollen unbefristet verwaltet. Laden Sie diese Seite neu, um zu sehen, welche.",
    transferred:
      "Die Adresse des Kontos wurde vor weniger als 72 Stunden geändert. Es lässt sich löschen, sobald das nicht mehr rückgängig gemacht werden kann.",
  },
  goodbye: {
    title: "Ihr Konto ist gelöscht",
    text: "Eine E-Mail bestätigt es. Danke, dass Sie da waren.",
    signIn: "Zur Anmeldung",
  },
};
