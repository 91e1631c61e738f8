import type { AdministratorActionParams, FactorParams, MessageTexts } from "../message_content.ts";
import { formatEnd } from "../end_format.ts";

const HELLO = "Hallo,";
const NOT_YOU = "Was jij het niet? Stel dan meteen een nieuw wachtwoord in en waarschuw je beheerder.";
const NOT_YOU_THEN = "Stel daarna een nieuw wachtwoord voor jezelf in en waarschuw je beheerder.";
const FINE = "Heb je dat zelf gedaan? Dan hoef je verder niets te doen.";
const ASKED_NOT = "Heb je hier niet om gevraagd? Dan kun je dit bericht negeren: er is niets veranderd.";
const CODE_RULES =
  "De code werkt één keer en is 10 minuten geldig. Geef hem aan niemand, ook niet aan iemand die zegt bij ons te werken.";

const FACTORS: Readonly<Record<FactorParams["factor"], string>> = {
  passkey: "een passkey",
  totp: "een authenticator-app",
  email_otp: "codes per e-mail",
};

const ACTIONS: Readonly<Record<AdministratorActionParams["action"], string>> = {
  factor_disabled: "Een tweede stap bij het inloggen is uitgeschakeld.",
  unlocked: "De wachttijden na verkeerde codes en wachtwoorden zijn opgeheven.",
  sessions_ended: "Al je sessies zijn beëindigd; log opnieuw in.",
  sessions_and_keys_ended:
    "Al je sessies en alle sleutels die je hebt gemaakt, zijn beëindigd; log opnieuw in.",
  invitation_resent: "Je uitnodiging is in een apart bericht nog eens verstuurd.",
};

export const nl: MessageTexts = {
  invitation: ({ link, actorEmail, roleName }, issuerName) => ({
    subject: `Je uitnodiging voor ${issuerName}`,
    blocks: [
      HELLO,
      `${actorEmail} heeft je toegevoegd aan de rol ‘${roleName}’ in ${issuerName}.`,
      "Open deze link om je eerste wachtwoord te kiezen:",
      { link, label: "Wachtwoord kiezen" },
      "De link werkt één keer en is 7 dagen geldig. Vraag daarna met dit e-mailadres een nieuw wachtwoord aan.",
      "Had je deze uitnodiging niet verwacht? Dan kun je dit bericht negeren. Zolang er geen wachtwoord is gekozen, kan niemand met dit account inloggen.",
    ],
  }),
  member_added: ({ actorEmail, roleName }, issuerName) => ({
    subject: `Je hebt een nieuwe rol in ${issuerName}`,
    blocks: [
      HELLO,
      `${actorEmail} heeft je toegevoegd aan de rol ‘${roleName}’ in ${issuerName}.`,
      "Log gewoon in zoals je gewend bent; je hoeft verder niets te doen.",
    ],
  }),
  password_reset_link: ({ link }, issuerName) => ({
    subject: `Stel een nieuw wachtwoord in voor ${issuerName}`,
    blocks: [
      HELLO,
      `Iemand, waarschijnlijk jij, wil een nieuw wachtwoord voor je account bij ${issuerName}. Open deze link om er een te kiezen:`,
      { link, label: "Nieuw wachtwoord kiezen" },
      "De link werkt één keer en is 30 minuten geldig.",
      ASKED_NOT,
    ],
  }),
  password_reset_otp: ({ otp }, issuerName) => ({
    subject: `Je code voor een nieuw wachtwoord bij ${issuerName}`,
    blocks: [
      HELLO,
      `Vul deze code in bij ${issuerName} om een nieuw wachtwoord te kiezen:`,
      { code: otp },
      CODE_RULES,
      ASKED_NOT,
    ],
  }),
  email_otp: ({ otp, purpose }, issuerName) => ({
    subject: purpose === "activation"
      ? `Je code om codes per e-mail in te schakelen voor ${issuerName}`
      : `Je code om in te loggen bij ${issuerName}`,
    blocks: [
      HELLO,
      purpose === "activation"
        ? `Vul deze code in bij ${issuerName} om als tweede stap bij het inloggen codes op dit adres te krijgen:`
        : `Vul deze code in bij ${issuerName} om te bevestigen dat jij het bent:`,
      { code: otp },
      CODE_RULES,
      purpose === "activation"
        ? "Heb je hier niet om gevraagd? Dan kun je dit bericht negeren: er komen geen codes naar dit adres."
        : "Heb je niet om deze code gevraagd? Dan kent misschien iemand je wachtwoord: wijzig het en waarschuw je beheerder.",
    ],
  }),
  email_transfer_otp: ({ otp }, issuerName) => ({
    subject: `Je code voor je nieuwe adres bij ${issuerName}`,
    blocks: [
      HELLO,
      `Vul deze code in bij ${issuerName} om dit het e-mailadres van je account te maken:`,
      { code: otp },
      CODE_RULES,
      ASKED_NOT,
    ],
  }),
  email_transferred_old: ({ link }, issuerName) => ({
    subject: `Het adres van je account bij ${issuerName} is gewijzigd`,
    blocks: [
      HELLO,
      `Je account bij ${issuerName} heeft nu een ander e-mailadres. Met dit adres kun je niet meer inloggen.`,
      FINE,
      "Was jij het niet? Open dan deze link om je account terug te halen:",
      { link, label: "Wijziging ongedaan maken" },
      "De link is 72 uur geldig. Hij herstelt dit adres, beëindigt alle sessies en verwijdert het wachtwoord; vraag daarna een nieuw wachtwoord aan.",
    ],
  }),
  factor_activated: ({ factor }, issuerName) => ({
    subject: `Een tweede stap beschermt nu je account bij ${issuerName}`,
    blocks: [
      HELLO,
      `Inloggen bij ${issuerName} vraagt nu een tweede stap: ${FACTORS[factor]}.`,
      "Bewaar je herstelcodes op een veilige plek: daarmee kom je binnen als deze stap niet werkt.",
      `${FINE} ${NOT_YOU}`,
    ],
  }),
  factor_confirmation: ({ factor, link }, issuerName) => ({
    subject: `Bevestig de nieuwe inlogmethode van je account bij ${issuerName}`,
    blocks: [
      HELLO,
      `Aan je account bij ${issuerName} is een inlogmethode toegevoegd: ${FACTORS[factor]}.`,
      factor === "passkey"
        ? "Heb je dat zelf gedaan? Open dan deze link om die te bevestigen. Daarna log je ermee in zonder je wachtwoord, en telt die voor rollen die dat eisen:"
        : "Heb je dat zelf gedaan? Open dan deze link om die te bevestigen. Daarna telt die voor rollen die dat eisen:",
      { link, label: "Bevestigen" },
      "De link werkt één keer en is 7 dagen geldig.",
      "Was jij het niet? Open de link dan niet: stel nu een nieuw wachtwoord in en waarschuw je beheerder.",
    ],
  }),
  factor_deactivated: ({ factor }, issuerName) => ({
    subject: `Een tweede stap bij het inloggen bij ${issuerName} is uitgeschakeld`,
    blocks: [
      HELLO,
      `Inloggen bij ${issuerName} gebruikt niet langer ${FACTORS[factor]}. Je andere sessies zijn beëindigd.`,
      FINE,
      NOT_YOU,
    ],
  }),
  recovery_code_used: ({ left }, issuerName) => ({
    subject: `Een herstelcode van je account bij ${issuerName} is gebruikt`,
    blocks: [
      HELLO,
      `Een herstelcode van je account bij ${issuerName} is zojuist gebruikt. Resterende codes: ${left}.`,
      left > 2 ? FINE : `${FINE} Maak snel nieuwe codes, voordat ze op zijn.`,
      NOT_YOU,
    ],
  }),
  key_created: ({ keyName, roleName }, issuerName) => ({
    subject: `Met je account bij ${issuerName} is een sleutel gemaakt`,
    blocks: [
      HELLO,
      `Met je account is in ${issuerName} zojuist de sleutel ‘${keyName}’ van de rol ‘${roleName}’ gemaakt. Een programma dat hem heeft, handelt namens deze rol tot de sleutel eindigt, ook als je bent uitgelogd.`,
      FINE,
      `Was jij het niet? Beëindig dan in je account bij ${issuerName} al je andere sessies en de sleutels die je hebt gemaakt. ${NOT_YOU_THEN}`,
    ],
  }),
  role_password_set: ({ roleName }, issuerName) => ({
    subject: `Met je account bij ${issuerName} is het wachtwoord van een rol ingesteld`,
    blocks: [
      HELLO,
      `Met je account is in ${issuerName} zojuist een wachtwoord van de rol ‘${roleName}’ ingesteld. Wie het kent, kan de rol onder een eigen rol plaatsen.`,
      FINE,
      `Was jij het niet? Verwijder dan het wachtwoord van de rol. ${NOT_YOU_THEN}`,
    ],
  }),
  membership_ends: ({ roleName, endsAt, others, actorEmail }, issuerName) => ({
    subject: `Je lidmaatschap in ${issuerName} eindigt binnenkort`,
    blocks: [
      HELLO,
      `Je lidmaatschap van de rol ‘${roleName}’ in ${issuerName} eindigt op ${formatEnd("nl", endsAt)}.`,
      ...(others === 0
        ? []
        : others === 1
        ? ["Rond die tijd eindigt nog een lidmaatschap van je."]
        : [`Rond die tijd eindigen nog ${others} lidmaatschappen van je.`]),
      actorEmail === null
        ? "Heb je het nog nodig? Vraag dan iemand die de leden van deze rol beheert om het te verlengen."
        : `Heb je het nog nodig? Vraag dan ${actorEmail}, van wie je het kreeg, of iemand anders die de leden van deze rol beheert om het te verlengen.`,
      "Anders hoef je niets te doen.",
    ],
  }),
  key_ends: ({ roleName, keyName, endsAt, others }, issuerName) => ({
    subject: `Een sleutel die je in ${issuerName} hebt gemaakt, eindigt binnenkort`,
    blocks: [
      HELLO,
      `De sleutel ‘${keyName}’ van de rol ‘${roleName}’ in ${issuerName}, die je hebt gemaakt, eindigt op ${
        formatEnd("nl", endsAt)
      }. Vanaf dan heeft het programma met deze sleutel geen toegang meer.`,
      ...(others === 0
        ? []
        : others === 1
        ? ["Rond die tijd eindigt nog een sleutel die je hebt gemaakt."]
        : [`Rond die tijd eindigen nog ${others} sleutels die je hebt gemaakt.`]),
      "Is het programma nog nodig? Maak dan op tijd een nieuwe sleutel en geef die aan het programma. Mag je dat niet meer, vraag het dan aan iemand die de leden van deze rol beheert.",
    ],
  }),
  operator_action: ({ action }, issuerName) => ({
    subject: `Een beheerder heeft je account bij ${issuerName} gewijzigd`,
    blocks: [
      HELLO,
      `Een beheerder van ${issuerName} heeft iets aan je account gewijzigd. ${ACTIONS[action]}`,
      "Heb je hier niet om gevraagd? Waarschuw dan je beheerder.",
    ],
  }),
  plain: {
    password_set: (issuerName) => ({
      subject: `Je wachtwoord voor ${issuerName} is ingesteld`,
      blocks: [
        HELLO,
        `Het wachtwoord van je account bij ${issuerName} is zojuist ingesteld of gewijzigd.`,
        FINE,
        NOT_YOU,
      ],
    }),
    refresh_token_reused: (issuerName) => ({
      subject: `Een van je sessies bij ${issuerName} is beëindigd`,
      blocks: [
        HELLO,
        `Een verouderd inlogtoken van een van je sessies bij ${issuerName} is opnieuw gebruikt. Mogelijk is het gekopieerd; daarom hebben we die sessie beëindigd. Je andere sessies lopen gewoon door.`,
        "Vraagt een app of apparaat je om opnieuw in te loggen, dan is dit de reden. Het kan ook gebeuren als een apparaat vanaf een back-up is hersteld.",
        "Heb je er geen verklaring voor? Wijzig dan je wachtwoord en waarschuw je beheerder.",
      ],
    }),
    email_transferred: (issuerName) => ({
      subject: `Dit is nu het adres van je account bij ${issuerName}`,
      blocks: [
        HELLO,
        `Je account bij ${issuerName} heeft nu dit e-mailadres. Log er voortaan mee in. Je andere sessies zijn beëindigd.`,
        "De wijziging kan 72 uur lang ongedaan worden gemaakt met een link die naar het oude adres is verstuurd.",
      ],
    }),
    transfer_undone: (issuerName) => ({
      subject: `De wijziging van je adres bij ${issuerName} is ongedaan gemaakt`,
      blocks: [
        HELLO,
        `De wijziging van het e-mailadres van je account bij ${issuerName} is ongedaan gemaakt: het oude adres geldt weer. Alle sessies zijn beëindigd en het wachtwoord is verwijderd.`,
        "Tweede stappen en herstelcodes die minder dan drie dagen vóór de wijziging of daarna zijn ingesteld, zijn ook verwijderd.",
        "Vraag met het oude adres een nieuw wachtwoord aan om in te loggen. Controleer daarna je tweede stappen en herstelcodes en stel in wat ontbreekt.",
      ],
    }),
    recovery_codes_reset: (issuerName) => ({
      subject: `Je hebt nieuwe herstelcodes voor ${issuerName}`,
      blocks: [
        HELLO,
        `De herstelcodes van je account bij ${issuerName} zijn vervangen. De eerdere werken niet meer en je andere sessies zijn beëindigd.`,
        FINE,
        NOT_YOU,
      ],
    }),
    second_factor_failures: (issuerName) => ({
      subject: `Iemand kent misschien je wachtwoord voor ${issuerName}`,
      blocks: [
        HELLO,
        `Iemand heeft het juiste wachtwoord van je account bij ${issuerName} ingevuld en daarna vijf verkeerde codes. Die persoon is niet binnengekomen.`,
        "Was jij dat zelf? Log dan opnieuw in.",
        "Was jij het niet? Wijzig dan meteen je wachtwoord en waarschuw je beheerder.",
      ],
    }),
    passkey_copied: (issuerName) => ({
      subject: `Een passkey van je account bij ${issuerName} is geweigerd`,
      blocks: [
        HELLO,
        `Een passkey van je account bij ${issuerName} is geweigerd, omdat de teller ervan lager stond dan eerder. Misschien bestaat er een kopie van.`,
        "Verwijder de passkey in de instellingen van je account en voeg een nieuwe toe.",
        NOT_YOU,
      ],
    }),
    account_deleted: (issuerName) => ({
      subject: `Je account bij ${issuerName} is verwijderd`,
      blocks: [
        HELLO,
        `Je account bij ${issuerName} en de lidmaatschappen ervan zijn verwijderd. Niemand kan er meer mee inloggen.`,
        "Heb je hier niet om gevraagd? Waarschuw dan je beheerder.",
      ],
    }),
  },
  footer: (issuerName) => `Dit bericht is automatisch verstuurd door ${issuerName}.`,
};
