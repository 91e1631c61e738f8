import type { MessageTexts } from "../message_content.ts";

export const nl: MessageTexts = {
  invitation: ({ link, actorEmail, roleName }, issuerName) => ({
    subject: `Je uitnodiging voor ${issuerName}`,
    text: `Hallo,

${actorEmail} heeft je toegevoegd aan de rol ‘${roleName}’ in ${issuerName}.

Open deze link om je eerste wachtwoord te kiezen:

${link}

De link werkt één keer en is 7 dagen geldig. Vraag daarna met dit e-mailadres een nieuw wachtwoord aan.

Had je deze uitnodiging niet verwacht? Dan kun je dit bericht negeren. Zolang er geen wachtwoord is gekozen, kan niemand met dit account inloggen.`,
  }),
  member_added: ({ actorEmail, roleName }, issuerName) => ({
    subject: `Je hebt een nieuwe rol in ${issuerName}`,
    text: `Hallo,

${actorEmail} heeft je toegevoegd aan de rol ‘${roleName}’ in ${issuerName}.

Log gewoon in zoals je gewend bent; je hoeft verder niets te doen.`,
  }),
  password_set: (issuerName) => ({
    subject: `Je wachtwoord voor ${issuerName} is ingesteld`,
    text: `Hallo,

Het wachtwoord van je account bij ${issuerName} is zojuist ingesteld of gewijzigd.

Heb je dat zelf gedaan? Dan hoef je verder niets te doen.

Was jij het niet? Stel dan meteen een nieuw wachtwoord in en waarschuw je beheerder.`,
  }),
  refresh_token_reused: (issuerName) => ({
    subject: `Een van je sessies bij ${issuerName} is beëindigd`,
    text: `Hallo,

Een verouderd aanmeldtoken van een van je sessies bij ${issuerName} is opnieuw gebruikt. Mogelijk is het gekopieerd; daarom hebben we die sessie beëindigd. Je andere sessies lopen gewoon door.

Vraagt een app of apparaat je om opnieuw in te loggen, dan is dit de reden. Het kan ook gebeuren als een apparaat vanaf een back-up is hersteld.

Heb je er geen verklaring voor? Wijzig dan je wachtwoord en waarschuw je beheerder.`,
  }),
  footer: (issuerName) => `Dit bericht is automatisch verzonden door ${issuerName}.`,
};
