import type { COMMON as ENGLISH } from "../en/common.ts";

export const COMMON: typeof ENGLISH = {
  skip: "Naar de inhoud",
  loading: "Laden …",
  close: "Sluiten",
  cancel: "Annuleren",
  list: { more: "Meer tonen", again: "Opnieuw proberen" },
  copy: {
    button: "Kopiëren",
    copied: "Gekopieerd",
    selected: "Geselecteerd. Kopieer het met je toetsenbord of menu.",
  },
  passwordField: {
    show: "Tonen",
    showLabel: "Tonen wat je hebt getypt",
    hide: "Verbergen",
    hideLabel: "Verbergen wat je hebt getypt",
  },
  roleField: { search: "Zoek een rol", none: "Geen rol begint zo." },
  views: {
    label: "Weergaven",
    role: "Hiërarchie",
    why: "Waarom",
    changes: "Wijzigingen",
    devices: "Apparaten",
    account: "Mijn account",
  },
  account: { menu: "Je account", signOut: "Uitloggen", language: "Taal" },
  theme: { label: "Uiterlijk", system: "Zoals het apparaat", light: "Licht", dark: "Donker" },
  unknownPage: {
    title: "Deze pagina bestaat niet",
    text: "Misschien zit er een typefout in het adres, of mag je niet zien waar het naartoe leidt.",
    back: "Naar de hiërarchie",
  },
  failure: {
    title: "Deze pagina kan niet worden getoond",
    text: "Misschien is de verbinding weg, of is de dienst intussen bijgewerkt. Laad de pagina opnieuw.",
    reload: "Opnieuw laden",
  },
  rights: {
    names: {
      roleManagement: "rolbeheer",
      userManagement: "gebruikersbeheer",
      viewManagement: "weergavebeheer",
      deviceManagement: "apparaatbeheer",
      reportManagement: "rapportbeheer",
      alarmManagement: "alarmbeheer",
    },
    legend: "rol · gebruikers · weergave · apparaat · rapport · alarm",
    held: "aanwezig",
    notHeld: "niet aanwezig",
    lost: "gaat verloren op deze relatie",
    none: "geen rechten",
  },
  problems: {
    NETWORK: "De dienst is niet bereikbaar. Controleer je verbinding.",
    UNAVAILABLE: "De dienst heeft het te druk of is in onderhoud.",
    PASSWORD_INCORRECT: "Het adres of het wachtwoord klopt niet.",
    wait: (time) => `Te veel pogingen. De volgende kan over ${time}.`,
    again: "Je kunt het nu opnieuw proberen.",
    retried: "We proberen het vanzelf opnieuw.",
    OTP_INVALID_EXPIRED: "De code is onjuist of verlopen.",
    NOT_CONFIRMED: "Er is niets gewijzigd, omdat je niet hebt bevestigd dat jij het bent.",
    PASSKEY_NOT_GIVEN:
      "Er kwam geen passkey: dat is afgebroken of duurde te lang. Je kunt het opnieuw proberen.",
    PASSKEY_ALREADY_ACTIVE: "Op dit apparaat staat al een passkey van je account.",
    PASSKEYS_UNSUPPORTED: "Passkeys werken niet in deze browser, of niet op dit adres.",
    PASSKEY_INVALID:
      "De passkey is niet geaccepteerd. Misschien is hij uit het account verwijderd, of duurde het te lang.",
    PASSKEY_UNCONFIRMED:
      "Deze passkey is nog niet bevestigd. Open de link in de e-mail erover, of log in met je wachtwoord.",
    PASSKEY_UNKNOWN: "Deze passkey is uit zijn account verwijderd. Log op een andere manier in.",
    PASSKEY_UNINITIALIZED: "Je account heeft geen passkey meer.",
    FORBIDDEN: "Dat mag je niet doen.",
    MALFORMED: "Er klopt iets niet in het formulier.",
    UNKNOWN: "Dat is niet gelukt.",
  },
};
