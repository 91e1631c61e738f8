import type { AdministratorActionParams, FactorParams, MessageTexts } from "../message_content.ts";
import { formatEnd } from "../end_format.ts";

const HELLO = "Guten Tag,";
const NOT_YOU =
  "Falls Sie das nicht waren, setzen Sie Ihr Passwort sofort zurück und informieren Sie Ihre Administration.";
const NOT_YOU_THEN = "Setzen Sie danach Ihr eigenes Passwort zurück und informieren Sie Ihre Administration.";
const FINE = "Wenn Sie das selbst waren, müssen Sie nichts weiter tun.";
const ASKED_NOT =
  "Falls Sie das nicht angefordert haben, können Sie diese Nachricht ignorieren: Es hat sich nichts geändert.";
const CODE_RULES =
  "Der Code ist 10 Minuten gültig und kann nur einmal verwendet werden. Geben Sie ihn an niemanden weiter, auch nicht an jemanden, der sich als unser Personal ausgibt.";

const FACTORS: Readonly<Record<FactorParams["factor"], string>> = {
  passkey: "Passkey",
  totp: "Authenticator-App",
  email_otp: "Codes per E-Mail",
};

const ACTIONS: Readonly<Record<AdministratorActionParams["action"], string>> = {
  factor_disabled: "Ein zweiter Schritt Ihrer Anmeldung wurde deaktiviert.",
  unlocked: "Die Wartezeiten nach falschen Codes und Passwörtern wurden aufgehoben.",
  sessions_ended: "Alle Ihre Sitzungen wurden beendet; melden Sie sich erneut an.",
  sessions_and_keys_ended:
    "Alle Ihre Sitzungen und alle Schlüssel, die Sie erstellt haben, wurden beendet; melden Sie sich erneut an.",
  invitation_resent: "Ihre Einladung wurde in einer eigenen Nachricht noch einmal gesendet.",
};

export const de: MessageTexts = {
  invitation: ({ link, actorEmail, roleName }, issuerName) => ({
    subject: `Ihre Einladung zu ${issuerName}`,
    blocks: [
      HELLO,
      `${actorEmail} hat Sie in ${issuerName} zum Mitglied der Rolle „${roleName}“ gemacht.`,
      "Öffnen Sie diesen Link, um Ihr erstes Passwort zu wählen:",
      { link, label: "Passwort wählen" },
      "Der Link ist 7 Tage gültig und kann nur einmal verwendet werden. Fordern Sie danach mit dieser E-Mail-Adresse ein neues Passwort an.",
      "Falls Sie diese Einladung nicht erwartet haben, können Sie sie ignorieren. Solange kein Passwort gewählt wurde, kann sich niemand mit diesem Konto anmelden.",
    ],
  }),
  member_added: ({ actorEmail, roleName }, issuerName) => ({
    subject: `Sie haben eine neue Rolle in ${issuerName}`,
    blocks: [
      HELLO,
      `${actorEmail} hat Sie in ${issuerName} zum Mitglied der Rolle „${roleName}“ gemacht.`,
      "Melden Sie sich wie gewohnt an; mehr müssen Sie nicht tun.",
    ],
  }),
  password_reset_link: ({ link }, issuerName) => ({
    subject: `Ihr Passwort für ${issuerName} zurücksetzen`,
    blocks: [
      HELLO,
      `jemand, vermutlich Sie selbst, möchte das Passwort Ihres Kontos bei ${issuerName} zurücksetzen. Öffnen Sie diesen Link, um ein neues zu wählen:`,
      { link, label: "Neues Passwort wählen" },
      "Der Link ist 30 Minuten gültig und kann nur einmal verwendet werden.",
      ASKED_NOT,
    ],
  }),
  password_reset_otp: ({ otp }, issuerName) => ({
    subject: `Ihr Code für ein neues Passwort bei ${issuerName}`,
    blocks: [
      HELLO,
      `geben Sie diesen Code in ${issuerName} ein, um ein neues Passwort zu wählen:`,
      { code: otp },
      CODE_RULES,
      ASKED_NOT,
    ],
  }),
  email_otp: ({ otp, purpose }, issuerName) => ({
    subject: purpose === "activation"
      ? `Ihr Code zum Aktivieren von Codes per E-Mail bei ${issuerName}`
      : `Ihr Code zum Anmelden bei ${issuerName}`,
    blocks: [
      HELLO,
      purpose === "activation"
        ? `geben Sie diesen Code in ${issuerName} ein, damit als zweiter Schritt Ihrer Anmeldung Codes an diese Adresse gesendet werden:`
        : `geben Sie diesen Code in ${issuerName} ein, um zu bestätigen, dass Sie es sind:`,
      { code: otp },
      CODE_RULES,
      purpose === "activation"
        ? "Falls Sie das nicht angefordert haben, können Sie diese Nachricht ignorieren: An diese Adresse werden keine Codes gesendet."
        : "Falls Sie diesen Code nicht angefordert haben, kennt vielleicht jemand Ihr Passwort: Ändern Sie es und informieren Sie Ihre Administration.",
    ],
  }),
  email_transfer_otp: ({ otp }, issuerName) => ({
    subject: `Ihr Code für die neue Adresse bei ${issuerName}`,
    blocks: [
      HELLO,
      `geben Sie diesen Code in ${issuerName} ein, um diese E-Mail-Adresse für Ihr Konto zu bestätigen:`,
      { code: otp },
      CODE_RULES,
      ASKED_NOT,
    ],
  }),
  email_transferred_old: ({ link }, issuerName) => ({
    subject: `Die Adresse Ihres Kontos bei ${issuerName} wurde geändert`,
    blocks: [
      HELLO,
      `Ihr Konto bei ${issuerName} hat jetzt eine andere E-Mail-Adresse. Mit der bisherigen können Sie sich nicht mehr anmelden.`,
      FINE,
      "Falls Sie das nicht waren, öffnen Sie diesen Link, um Ihr Konto zurückzubekommen:",
      { link, label: "Änderung rückgängig machen" },
      "Der Link ist 72 Stunden gültig. Er stellt die bisherige Adresse wieder her, beendet alle Sitzungen und entfernt das Passwort; fordern Sie danach ein neues an.",
    ],
  }),
  factor_activated: ({ factor }, issuerName) => ({
    subject: `Ein zweiter Schritt schützt jetzt Ihr Konto bei ${issuerName}`,
    blocks: [
      HELLO,
      `die Anmeldung bei ${issuerName} verlangt jetzt einen zweiten Schritt: ${FACTORS[factor]}.`,
      "Bewahren Sie Ihre Wiederherstellungscodes sicher auf: Mit ihnen können Sie sich anmelden, wenn dieser Schritt einmal nicht möglich ist.",
      `${FINE} ${NOT_YOU}`,
    ],
  }),
  factor_confirmation: ({ factor, link }, issuerName) => ({
    subject: `Bestätigen Sie die neue Anmeldemethode Ihres Kontos bei ${issuerName}`,
    blocks: [
      HELLO,
      `zu Ihrem Konto bei ${issuerName} wurde eine Anmeldemethode hinzugefügt: ${FACTORS[factor]}.`,
      factor === "passkey"
        ? "Wenn Sie das waren, öffnen Sie diesen Link, um sie zu bestätigen. Danach können Sie sich damit ohne Passwort anmelden und für Rollen handeln, die das verlangen:"
        : "Wenn Sie das waren, öffnen Sie diesen Link, um sie zu bestätigen. Danach können Sie damit für Rollen handeln, die das verlangen:",
      { link, label: "Bestätigen" },
      "Der Link ist 7 Tage gültig und kann nur einmal verwendet werden.",
      "Wenn Sie das nicht waren, öffnen Sie den Link nicht: Setzen Sie jetzt Ihr Passwort zurück und informieren Sie Ihre Administration.",
    ],
  }),
  factor_deactivated: ({ factor }, issuerName) => ({
    subject: `Ein zweiter Schritt Ihrer Anmeldung bei ${issuerName} wurde deaktiviert`,
    blocks: [
      HELLO,
      `dieser zweite Schritt Ihrer Anmeldung bei ${issuerName} wurde deaktiviert: ${
        FACTORS[factor]
      }. Ihre anderen Sitzungen wurden beendet.`,
      FINE,
      NOT_YOU,
    ],
  }),
  recovery_code_used: ({ left }, issuerName) => ({
    subject: `Ein Wiederherstellungscode für ${issuerName} wurde benutzt`,
    blocks: [
      HELLO,
      `ein Wiederherstellungscode Ihres Kontos bei ${issuerName} wurde soeben benutzt. Verbleibende Codes: ${left}.`,
      left > 2 ? FINE : `${FINE} Erstellen Sie bald neue Codes, bevor keiner mehr übrig ist.`,
      NOT_YOU,
    ],
  }),
  key_created: ({ keyName, roleName }, issuerName) => ({
    subject: `Mit Ihrem Konto bei ${issuerName} wurde ein Schlüssel erstellt`,
    blocks: [
      HELLO,
      `mit Ihrem Konto bei ${issuerName} wurde soeben der Schlüssel „${keyName}“ der Rolle „${roleName}“ erstellt. Ein Programm, das ihn hat, handelt für diese Rolle, bis der Schlüssel endet, auch wenn Sie abgemeldet sind.`,
      FINE,
      `Falls Sie das nicht waren, beenden Sie in Ihrem Konto bei ${issuerName} alle anderen Sitzungen und die Schlüssel, die Sie erstellt haben. ${NOT_YOU_THEN}`,
    ],
  }),
  role_password_set: ({ roleName }, issuerName) => ({
    subject: `Mit Ihrem Konto bei ${issuerName} wurde das Passwort einer Rolle festgelegt`,
    blocks: [
      HELLO,
      `mit Ihrem Konto bei ${issuerName} wurde soeben ein Passwort der Rolle „${roleName}“ festgelegt. Wer es kennt, kann die Rolle unter eine eigene stellen.`,
      FINE,
      `Falls Sie das nicht waren, entfernen Sie das Passwort der Rolle. ${NOT_YOU_THEN}`,
    ],
  }),
  membership_ends: ({ roleName, endsAt, others, actorEmail }, issuerName) => ({
    subject: `Ihre Mitgliedschaft in ${issuerName} endet bald`,
    blocks: [
      HELLO,
      `Ihre Mitgliedschaft in der Rolle „${roleName}“ in ${issuerName} endet am ${formatEnd("de", endsAt)}.`,
      ...(others === 0
        ? []
        : others === 1
        ? ["Um diese Zeit endet noch eine weitere Mitgliedschaft von Ihnen."]
        : [`Um diese Zeit enden noch ${others} weitere Mitgliedschaften von Ihnen.`]),
      actorEmail === null
        ? "Wenn Sie sie noch brauchen, wenden Sie sich an eine Person, die die Mitglieder dieser Rolle verwaltet: Sie kann sie verlängern."
        : `Wenn Sie sie noch brauchen, wenden Sie sich an ${actorEmail}, die Person, die sie Ihnen gegeben hat, oder an eine andere, die die Mitglieder dieser Rolle verwaltet: Sie kann sie verlängern.`,
      "Sonst müssen Sie nichts tun.",
    ],
  }),
  key_ends: ({ roleName, keyName, endsAt, others }, issuerName) => ({
    subject: `Ein Schlüssel, den Sie in ${issuerName} erstellt haben, endet bald`,
    blocks: [
      HELLO,
      `der Schlüssel „${keyName}“ der Rolle „${roleName}“ in ${issuerName}, den Sie erstellt haben, endet am ${
        formatEnd("de", endsAt)
      }. Danach hat das Programm mit diesem Schlüssel keinen Zugriff mehr.`,
      ...(others === 0
        ? []
        : others === 1
        ? ["Um diese Zeit endet noch ein weiterer Schlüssel, den Sie erstellt haben."]
        : [`Um diese Zeit enden noch ${others} weitere Schlüssel, die Sie erstellt haben.`]),
      "Wenn das Programm noch gebraucht wird, erstellen Sie vorher einen neuen Schlüssel und geben Sie ihn dem Programm. Wenn Sie das nicht mehr dürfen, wenden Sie sich an eine Person, die die Mitglieder dieser Rolle verwaltet.",
    ],
  }),
  operator_action: ({ action }, issuerName) => ({
    subject: `Die Administration hat Ihr Konto bei ${issuerName} geändert`,
    blocks: [
      HELLO,
      `die Administration von ${issuerName} hat eine Änderung an Ihrem Konto vorgenommen. ${ACTIONS[action]}`,
      "Falls Sie nicht darum gebeten haben, informieren Sie Ihre Administration.",
    ],
  }),
  plain: {
    password_set: (issuerName) => ({
      subject: `Das Passwort Ihres Kontos bei ${issuerName} wurde festgelegt`,
      blocks: [
        HELLO,
        `das Passwort Ihres Kontos bei ${issuerName} wurde soeben festgelegt oder geändert.`,
        FINE,
        NOT_YOU,
      ],
    }),
    refresh_token_reused: (issuerName) => ({
      subject: `Eine Ihrer Sitzungen bei ${issuerName} wurde beendet`,
      blocks: [
        HELLO,
        `ein veraltetes Anmeldetoken einer Ihrer Sitzungen bei ${issuerName} wurde ein zweites Mal verwendet. Möglicherweise wurde es kopiert; deshalb haben wir diese Sitzung beendet. Ihre anderen Sitzungen laufen weiter.`,
        "Wenn eine App oder ein Gerät Sie auffordert, sich erneut anzumelden, ist dies der Grund. Das kann auch vorkommen, wenn ein Gerät aus einer Sicherung wiederhergestellt wurde.",
        "Wenn Sie sich das nicht erklären können, ändern Sie Ihr Passwort und informieren Sie Ihre Administration.",
      ],
    }),
    email_transferred: (issuerName) => ({
      subject: `Dies ist jetzt die Adresse Ihres Kontos bei ${issuerName}`,
      blocks: [
        HELLO,
        `Ihr Konto bei ${issuerName} hat jetzt diese E-Mail-Adresse. Melden Sie sich künftig mit ihr an. Ihre anderen Sitzungen wurden beendet.`,
        "72 Stunden lang lässt sich die Änderung mit einem Link rückgängig machen, der an die alte Adresse gesendet wurde.",
      ],
    }),
    transfer_undone: (issuerName) => ({
      subject: `Die Änderung Ihrer Adresse bei ${issuerName} wurde rückgängig gemacht`,
      blocks: [
        HELLO,
        `die Änderung der E-Mail-Adresse Ihres Kontos bei ${issuerName} wurde rückgängig gemacht: Es gilt wieder die alte Adresse. Alle Sitzungen wurden beendet, und das Passwort wurde entfernt.`,
        "Zweite Schritte und Wiederherstellungscodes, die weniger als drei Tage vor der Änderung oder seither eingerichtet wurden, wurden ebenfalls entfernt.",
        "Fordern Sie mit der alten Adresse ein neues Passwort an, um sich anzumelden. Prüfen Sie dann Ihre zweiten Schritte und Wiederherstellungscodes und richten Sie ein, was fehlt.",
      ],
    }),
    recovery_codes_reset: (issuerName) => ({
      subject: `Sie haben neue Wiederherstellungscodes für ${issuerName}`,
      blocks: [
        HELLO,
        `die Wiederherstellungscodes Ihres Kontos bei ${issuerName} wurden ersetzt. Die früheren funktionieren nicht mehr, und Ihre anderen Sitzungen wurden beendet.`,
        FINE,
        NOT_YOU,
      ],
    }),
    second_factor_failures: (issuerName) => ({
      subject: `Jemand kennt vielleicht Ihr Passwort für ${issuerName}`,
      blocks: [
        HELLO,
        `jemand hat das richtige Passwort Ihres Kontos bei ${issuerName} eingegeben und danach fünf falsche Codes. Der Zugang wurde verweigert.`,
        "Wenn Sie das selbst waren, melden Sie sich erneut an.",
        "Falls Sie das nicht waren, ändern Sie sofort Ihr Passwort und informieren Sie Ihre Administration.",
      ],
    }),
    passkey_copied: (issuerName) => ({
      subject: `Ein Passkey Ihres Kontos bei ${issuerName} wurde abgelehnt`,
      blocks: [
        HELLO,
        `ein Passkey Ihres Kontos bei ${issuerName} wurde abgelehnt, weil er weniger Verwendungen gezählt hat als zuvor. Vielleicht gibt es eine Kopie davon.`,
        "Entfernen Sie den Passkey in den Einstellungen Ihres Kontos und fügen Sie einen neuen hinzu.",
        NOT_YOU,
      ],
    }),
    account_deleted: (issuerName) => ({
      subject: `Ihr Konto bei ${issuerName} wurde gelöscht`,
      blocks: [
        HELLO,
        `Ihr Konto bei ${issuerName} und seine Mitgliedschaften wurden gelöscht. Eine Anmeldung ist nicht mehr möglich.`,
        "Falls Sie nicht darum gebeten haben, informieren Sie Ihre Administration.",
      ],
    }),
  },
  footer: (issuerName) => `Diese Nachricht wurde automatisch von ${issuerName} gesendet.`,
};
