import type { Texts } from "../en.ts";
import { plural, roles } from "./words.ts";

export const ACCOUNT_DATA: Texts["accountData"] = {
  tabs: {
    profile: "Profiel",
    sessions: "Sessies",
    log: "Beveiligingslogboek",
    data: "Je gegevens",
  },
  changePassword: "wijzig je wachtwoord",
  address: {
    current: "Je logt in met {email}. Ook e-mails aan jou gaan daarheen.",
    change: "Adres wijzigen",
    title: "Wijzig je e-mailadres",
    intro:
      "We sturen een code naar het nieuwe adres, om zeker te weten dat het van jou is. Het adres verandert zodra je die code invult.",
    means: [
      "Dan eindigen je andere sessies.",
      "Naar het oude adres gaat een link waarmee je de wijziging ongedaan maakt. De link is 72 uur geldig.",
      "Zolang de link geldig is, kun je het adres niet opnieuw wijzigen en je account niet verwijderen.",
    ],
    email: "Nieuw e-mailadres",
    send: "Code versturen",
    haveCode: "Ik heb al een code",
    codeTitle: "Vul de code in",
    sent: "Er is een e-mail met een code onderweg naar {email}.",
    sentBefore: "Er is een e-mail met een code naar je nieuwe adres gestuurd.",
    codeHint: "Zes tekens, 10 minuten geldig.",
    another: "Een ander adres gebruiken",
    notArrived: "Na een minuut nog geen e-mail? Kijk in je spammap, of laat er nog een sturen.",
    sentAgain: "Er is nog een e-mail onderweg. De vorige code is niet meer geldig.",
    moved: {
      title: "Je adres is gewijzigd",
      now: "Voortaan log je in met {email}.",
      undo:
        "Was dit een vergissing? Naar {email} is een e-mail gestuurd met een link die het ongedaan maakt. De link is 72 uur geldig.",
      sessions: "Al je andere sessies zijn beëindigd.",
    },
    faults: {
      wait: (time) =>
        `Er is kortgeleden al een code verstuurd. Over ${time} kan de volgende worden verstuurd.`,
      code: "De code is onjuist of verlopen. Laat na vijf verkeerde codes een nieuwe sturen.",
      inUse:
        "Een ander account heeft dit adres, of kan het binnen 72 uur terugkrijgen. Gebruik een ander adres.",
      tooSoon:
        "Het adres is minder dan 72 uur geleden gewijzigd. Het kan opnieuw worden gewijzigd zodra dat niet meer ongedaan kan worden gemaakt.",
    },
  },
  language: {
    intro: "Deze pagina en de e-mails aan jou zijn in deze taal.",
    differ: (page, mails) =>
      `Deze pagina is in het ${page}, maar e-mails aan jou zijn in het ${mails}. Kies één taal voor allebei.`,
    label: "Taal van deze pagina en van e-mails",
    save: "Deze taal gebruiken",
    saved: "Deze pagina en de e-mails aan jou zijn nu in het Nederlands.",
  },
  sessions: {
    title: "Waar je bent ingelogd",
    intro: "Herken je een sessie niet? Beëindig die dan en {change}.",
    none: "Er zijn geen sessies.",
    current: "deze sessie",
    client: (browser, system) => `${browser} op ${system}`,
    unknownClient: "Een programma dat zijn naam niet noemt",
    times: "Ingelogd op {created} · laatst actief op {used}",
    end: "Beëindigen",
    ended: "De sessie is beëindigd.",
    others: {
      open: "Alle andere beëindigen",
      title: "Alle andere sessies beëindigen?",
      text: "Wie ze gebruikt, moet dan opnieuw inloggen. Hier blijf je ingelogd.",
      done: "Alle andere sessies zijn beëindigd.",
    },
    all: {
      open: "Overal uitloggen",
      title: "Overal uitloggen?",
      text: "Al je sessies eindigen, ook deze. Daarna moet je opnieuw inloggen.",
    },
    withKeys: "Verwijder ook de sleutels die ik heb gemaakt",
    withKeysHint:
      "De programma’s die ze gebruiken, verliezen meteen hun toegang. Sleutels van rollen die je hebt verlaten, blijven in je lijst staan.",
    doneWithKeys: "Alle andere sessies zijn beëindigd, en de sleutels die je hebt gemaakt, zijn verwijderd.",
  },
  ownKeys: {
    title: "Sleutels die je hebt gemaakt",
    intro:
      "Een programma met een van deze sleutels handelt namens een rol, ook als je bent uitgelogd. Herken je een sleutel niet? Verwijder hem dan en {change}.",
    none: "Je hebt geen sleutels gemaakt.",
    role: "Voor de rol",
  },
  log: {
    title: "Wat er met je account is gebeurd",
    intro: "Heb je iets hiervan niet zelf gedaan? Beëindig dan de andere sessies en {change}.",
    none: "Er is nog niets gebeurd.",
    from: "vanaf {address}",
    refused: "geweigerd",
    attempts: plural("# [poging|pogingen] binnen een minuut."),
    unknown: "Er is iets anders met het account gedaan.",
    events: {
      "login": "[Ingelogd|Poging om in te loggen]",
      "logout": "[Uitgelogd|Poging om uit te loggen]",
      "session.end": "[Sessies beëindigd|Poging om een sessie te beëindigen]",
      "session.end_by_manager": "Iemand die al je rollen beheert, heeft je sessies beëindigd",
      "session.refresh_token_reused":
        "Een sessie is [beëindigd omdat het geheim ervan twee keer is gebruikt: misschien had iemand anders het|beëindigd]",
      "session.operator":
        "Een beheerder van de dienst [heeft in jouw naam gewerkt|probeerde in jouw naam te werken]",
      "password_reset_link.request":
        "[Link voor een nieuw wachtwoord aangevraagd|Poging om een link per e-mail te krijgen]",
      "password_reset_otp.request":
        "[Code voor een nieuw wachtwoord aangevraagd|Poging om een code per e-mail te krijgen]",
      "password_reset_otp.check": "Code uit een e-mail ingevuld",
      "password_reset_otp":
        "[Nieuw wachtwoord ingesteld met een code|Poging om met een code een nieuw wachtwoord in te stellen]",
      "password.reset_link":
        "[Nieuw wachtwoord ingesteld met een link|Poging om met een link een nieuw wachtwoord in te stellen]",
      "password.invitation_link":
        "[Eerste wachtwoord ingesteld|Poging om het eerste wachtwoord in te stellen]",
      "password.change": "[Wachtwoord gewijzigd|Poging om het wachtwoord te wijzigen]",
      "password.prove": "[Bevestigd met het wachtwoord|Poging om met het wachtwoord te bevestigen]",
      "email.initiate": "[Code voor een ander adres aangevraagd|Poging om het adres te wijzigen]",
      "email.transfer": "[Adres gewijzigd|Poging om het adres te wijzigen]",
      "email.undo":
        "[Wijziging van het adres ongedaan gemaakt|Poging om de wijziging van het adres ongedaan te maken]",
      "email_otp.setup":
        "[Begonnen met het instellen van codes per e-mail|Poging om codes per e-mail in te stellen]",
      "email_otp.activate": "[Codes per e-mail ingeschakeld|Poging om codes per e-mail in te schakelen]",
      "email_otp.challenge": "[Code per e-mail aangevraagd|Poging om een code per e-mail te krijgen]",
      "email_otp.authenticate":
        "[Bevestigd met een code uit een e-mail|Poging om met een code uit een e-mail te bevestigen]",
      "email_otp.deactivate": "[Codes per e-mail uitgeschakeld|Poging om codes per e-mail uit te schakelen]",
      "totp.setup":
        "[Begonnen met het instellen van een authenticator-app|Poging om een authenticator-app in te stellen]",
      "totp.activate": "[Authenticator-app ingeschakeld|Poging om de authenticator-app in te schakelen]",
      "totp.authenticate":
        "[Bevestigd met de authenticator-app|Poging om met de authenticator-app te bevestigen]",
      "totp.deactivate": "[Authenticator-app uitgeschakeld|Poging om de authenticator-app uit te schakelen]",
      "passkey.activate": "[Passkey toegevoegd|Poging om een passkey toe te voegen]",
      "passkey.authenticate": "[Bevestigd met een passkey|Poging om met een passkey te bevestigen]",
      "passkey.login": "[Ingelogd met een passkey|Poging om met een passkey in te loggen]",
      "passkey.rename": "[Naam van een passkey gewijzigd|Poging om de naam van een passkey te wijzigen]",
      "passkey.deactivate": "[Passkey verwijderd|Poging om een passkey te verwijderen]",
      "factor.confirm":
        "[Nieuwe manier van inloggen bevestigd|Poging om een nieuwe manier van inloggen te bevestigen]",
      "recovery_code.authenticate":
        "[Bevestigd met een herstelcode|Poging om met een herstelcode te bevestigen]",
      "recovery_code.reset": "[Nieuwe herstelcodes gemaakt|Poging om nieuwe herstelcodes te maken]",
      "account.import":
        "Een import heeft het account [aangemaakt of aangevuld|proberen aan te maken of aan te vullen]",
      "account.delete": "[Account verwijderd|Poging om het account te verwijderen]",
      "operator.factor_disabled":
        "Een beheerder van de dienst [heeft een tweede stap uitgeschakeld|probeerde een tweede stap uit te schakelen]",
      "operator.unlocked":
        "Een beheerder van de dienst [heeft de wachttijden na verkeerde pogingen opgeheven|probeerde de wachttijden na verkeerde pogingen op te heffen]",
      "operator.sessions_ended":
        "Een beheerder van de dienst [heeft je sessies beëindigd|probeerde je sessies te beëindigen]",
      "operator.invitation_resent":
        "Een beheerder van de dienst [heeft de uitnodiging nog eens verstuurd|probeerde de uitnodiging nog eens te versturen]",
    },
    reasons: {
      started: "Dit is niet afgemaakt.",
      abandoned: "De dienst had het te druk om dit te controleren. Het telde niet als verkeerde poging.",
      wrong: "Wat was ingevuld, klopte niet.",
      unreadable:
        "Het opgeslagen wachtwoord kan niet worden gelezen: er moet per e-mail een nieuw worden ingesteld.",
      copied: "De teller van de passkey stond lager dan eerder: misschien bestaat er een kopie van.",
      waiting: "Dit kwam te vroeg: na verkeerde pogingen of e-mails moet de volgende wachten.",
      outdated: "Iets anders had dit intussen veranderd.",
      void: "Iets anders had het account intussen veranderd.",
      over: "De sessie of het inloggen was intussen afgelopen.",
      proof_required: "Dit moest eerst worden bevestigd.",
      second_factor: "Het wachtwoord was juist. Er moest nog een tweede stap volgen.",
      activation: "Om ze in te schakelen.",
      uninitialized: "Dit was niet ingesteld.",
      inactive: "Dit was niet ingeschakeld.",
      disabled: "Dit was uitgeschakeld.",
      needs_codes: "Er moesten eerst herstelcodes zijn.",
      no_code: "Er was toen geen geldige code.",
      in_use: "Een account heeft dit al, of kan het terugkrijgen.",
      unconfirmed: "De passkey was nog niet bevestigd.",
      unknown: "Het account had die passkey niet.",
      too_soon: "De laatste wijziging van het adres kon nog ongedaan worden gemaakt.",
      too_many: "Er waren er al te veel.",
      transferred: "Een wijziging van het adres kon nog ongedaan worden gemaakt.",
      root_without_member: "Een van de bovenste rollen zou door niemand meer kunnen worden beheerd.",
      has_password: "Het account had al een wachtwoord.",
      no_role: "Het account was van geen enkele rol lid.",
      denied: "Deze sessie bestond niet meer.",
      ended: "Weet je niet zeker waarom? Wijzig dan je wachtwoord.",
    },
  },
  own: {
    title: "Neem je gegevens mee",
    intro:
      "Alles wat over je is opgeslagen, in één bestand (JSON): je account, rollen, sessies en het beveiligingslogboek. Wachtwoorden en andere geheimen staan er niet in.",
    saved: "Je gegevens zijn opgeslagen als bestand.",
    running: (time) => `Er is al een export van je bezig. Probeer het over ${time} opnieuw.`,
  },
  leave: {
    title: "Verwijder je account",
    intro: "Eerst zie je wat er gebeurt met de rollen waarvan je lid bent. Er wordt nog niets verwijderd.",
    open: "Bekijken wat verwijderen betekent",
    means: [
      "Je kunt niet meer inloggen, en al je sessies eindigen.",
      "Je bent van geen enkele rol meer lid.",
      "Je wachtwoord, tweede stappen, codes en links worden verwijderd.",
      "Wat je hebt gedaan, blijft in de logboeken staan, zonder je naam en je netwerkadressen.",
      "Wachtwoorden die je op rollen hebt ingesteld, werken niet meer. Sleutels die je voor programma’s hebt gemaakt, blijven werken.",
      "Niemand kan het account terughalen, ook een beheerder van de dienst niet.",
    ],
    roles: "De rollen waarvan je lid bent",
    looking: "Je rollen worden bekeken …",
    noRoles: "Je bent van geen enkele rol lid.",
    allManaged: plural(
      "Je bent lid van [één rol|# rollen]. Ook zonder jou heeft elke rol nog een beheerder.",
    ),
    unmanaged: "Zonder jou zou niemand deze rollen nog kunnen beheren. Zoek eerst iemand anders:",
    moreUnmanaged: (n) => `En nog ${roles(n, true)}.`,
    keeps:
      "Je bent de laatste die een bovenste rol blijvend beheert; daarom kun je niet weg. Maak er eerst iemand anders blijvend lid van, met rolbeheer:",
    partial:
      "Niet al je rollen konden worden gecontroleerd. Misschien zijn er meer die niemand zou kunnen beheren.",
    oneByOne:
      "Elk van je lidmaatschappen is afzonderlijk gecontroleerd. Een rol die alleen jij beheert, maar via meerdere lidmaatschappen, valt dan niet op.",
    typeAddress: "Typ {email} om het account te verwijderen.",
    confirm: "Je e-mailadres",
    different: "Dit is niet het adres van je account.",
    submit: "Mijn account verwijderen",
    keepsNow:
      "Je bent intussen de laatste die een van je rollen blijvend beheert. Laad deze pagina opnieuw om te zien welke.",
    transferred:
      "Het adres van het account is minder dan 72 uur geleden gewijzigd. Het account kan worden verwijderd zodra dat niet meer ongedaan kan worden gemaakt.",
  },
  goodbye: {
    title: "Je account is verwijderd",
    text: "Een e-mail bevestigt het. Bedankt dat je er was.",
    signIn: "Naar de inlogpagina",
  },
};
