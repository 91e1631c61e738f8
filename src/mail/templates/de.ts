import type { MessageTexts } from "../message_content.ts";

export const de: MessageTexts = {
  invitation: ({ link, actorEmail, roleName }, issuerName) => ({
    subject: `Ihre Einladung zu ${issuerName}`,
    text: `Guten Tag,

${actorEmail} hat Ihnen in ${issuerName} die Rolle „${roleName}“ zugewiesen.

Öffnen Sie diesen Link, um Ihr erstes Passwort zu wählen:

${link}

Der Link funktioniert einmal und ist 7 Tage gültig. Fordern Sie danach mit dieser E-Mail-Adresse ein neues Passwort an.

Falls Sie diese Einladung nicht erwartet haben, können Sie sie ignorieren. Solange kein Passwort gewählt wurde, kann sich niemand mit diesem Konto anmelden.`,
  }),
  member_added: ({ actorEmail, roleName }, issuerName) => ({
    subject: `Sie haben eine neue Rolle in ${issuerName}`,
    text: `Guten Tag,

${actorEmail} hat Ihnen in ${issuerName} die Rolle „${roleName}“ zugewiesen.

Melden Sie sich wie gewohnt an; mehr müssen Sie nicht tun.`,
  }),
  password_set: (issuerName) => ({
    subject: `Das Passwort Ihres Kontos bei ${issuerName} wurde festgelegt`,
    text: `Guten Tag,

das Passwort Ihres Kontos bei ${issuerName} wurde soeben festgelegt oder geändert.

Wenn Sie das selbst waren, müssen Sie nichts weiter tun.

Wenn Sie es nicht waren, setzen Sie Ihr Passwort sofort zurück und informieren Sie Ihre Administration.`,
  }),
  refresh_token_reused: (issuerName) => ({
    subject: `Eine Ihrer Sitzungen bei ${issuerName} wurde beendet`,
    text: `Guten Tag,

ein veraltetes Anmeldetoken einer Ihrer Sitzungen bei ${issuerName} wurde ein zweites Mal verwendet. Möglicherweise wurde es kopiert; deshalb haben wir diese Sitzung beendet. Ihre anderen Sitzungen laufen weiter.

Wenn eine App oder ein Gerät Sie auffordert, sich erneut anzumelden, ist dies der Grund. Das kann auch vorkommen, wenn ein Gerät aus einer Sicherung wiederhergestellt wurde.

Wenn Sie sich das nicht erklären können, ändern Sie Ihr Passwort und informieren Sie Ihre Administration.`,
  }),
  footer: (issuerName) => `Diese Nachricht wurde automatisch von ${issuerName} gesendet.`,
};
