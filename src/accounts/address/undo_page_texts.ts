import type { LinkPageTexts } from "../../http/link_page/link_page.ts";
import { LINK_PAGE_TEXTS } from "../../identity/link_page_texts.ts";
import type { Language } from "../../mail/languages.ts";

/** The reasons for a failure that the page reports. */
export type UndoPageFault = "OTP_INVALID_EXPIRED" | "NO_TOKEN" | "BUSY" | "NETWORK" | "UNKNOWN";

/** The texts of the page. `{issuer}` stands for the service's name, `{wait}` for a time such as "2 minutes". */
export interface UndoPageTexts extends LinkPageTexts {
  /** The text of the link shown after success. */
  readonly resetPassword: string;
  readonly faults: Readonly<Record<UndoPageFault, string>>;
}

const en: UndoPageTexts = {
  title: "Undo the change of address",
  intro:
    "The email address of your {issuer} account was changed. If that was not you, undo it: your account gets its " +
    "old address back, its password is removed and everyone is signed out, you included. Second steps and recovery " +
    "codes that were set up less than three days before the change, or since then, are removed, too. Then reset your " +
    "password with the old address.",
  save: "Undo the change",
  saving: "Undoing the change…",
  done: "Your account has its old address back. Now reset your password with that address.",
  resetPassword: "Reset your password",
  ...LINK_PAGE_TEXTS.en,
  faults: {
    ...LINK_PAGE_TEXTS.en.faults,
    NO_TOKEN: LINK_PAGE_TEXTS.en.faults.NO_TOKEN +
      " If the email shows no more of it and you did not change your address, tell your administrator at once: the link is valid for 72 hours.",
    OTP_INVALID_EXPIRED:
      "This link has expired or has already been used. If you did not make the change, tell your administrator now.",
    UNKNOWN: "Something went wrong and the change was not undone. Try again later.",
  },
};

const nl: UndoPageTexts = {
  title: "Adreswijziging ongedaan maken",
  intro:
    "Het e-mailadres van je account bij {issuer} is gewijzigd. Was jij dat niet, maak het dan ongedaan: je account " +
    "krijgt zijn oude adres terug, het wachtwoord vervalt en iedereen wordt uitgelogd, jij ook. Tweede stappen en " +
    "herstelcodes die minder dan drie dagen vóór de wijziging of daarna zijn ingesteld, vervallen ook. Stel daarna met " +
    "het oude adres een nieuw wachtwoord in.",
  save: "Wijziging ongedaan maken",
  saving: "Bezig met ongedaan maken …",
  done: "Je account heeft zijn oude adres terug. Stel nu met dat adres een nieuw wachtwoord in.",
  resetPassword: "Wachtwoord opnieuw instellen",
  ...LINK_PAGE_TEXTS.nl,
  faults: {
    ...LINK_PAGE_TEXTS.nl.faults,
    NO_TOKEN: LINK_PAGE_TEXTS.nl.faults.NO_TOKEN +
      " Staat er in de e-mail niet meer en was de wijziging niet van jou, waarschuw dan meteen je beheerder: de link is 72 uur geldig.",
    OTP_INVALID_EXPIRED:
      "Deze link is verlopen of al gebruikt. Was de wijziging niet van jou, waarschuw dan meteen je beheerder.",
    UNKNOWN: "Er ging iets mis en de wijziging is niet ongedaan gemaakt. Probeer het later opnieuw.",
  },
};

const fr: UndoPageTexts = {
  title: "Annuler le changement d’adresse",
  intro:
    "L’adresse e-mail de votre compte {issuer} a été changée. Si ce n’était pas vous, annulez ce changement\u202F: votre " +
    "compte retrouve son ancienne adresse, son mot de passe est supprimé et tout le monde est déconnecté, vous aussi. " +
    "Les secondes étapes et les codes de récupération configurés moins de trois jours avant le changement, ou depuis, " +
    "sont également supprimés. Réinitialisez ensuite votre mot de passe avec l’ancienne adresse.",
  save: "Annuler le changement",
  saving: "Annulation…",
  done:
    "Votre compte a retrouvé son ancienne adresse. Réinitialisez maintenant votre mot de passe avec cette adresse.",
  resetPassword: "Réinitialiser votre mot de passe",
  ...LINK_PAGE_TEXTS.fr,
  faults: {
    ...LINK_PAGE_TEXTS.fr.faults,
    NO_TOKEN: LINK_PAGE_TEXTS.fr.faults.NO_TOKEN +
      " Si l’e-mail n’en montre pas plus et que le changement ne vient pas de vous, prévenez tout de suite votre administrateur\u202F: le lien est valable 72 heures.",
    OTP_INVALID_EXPIRED:
      "Ce lien a expiré ou a déjà été utilisé. Si le changement ne vient pas de vous, prévenez tout de suite votre " +
      "administrateur.",
    UNKNOWN: "Un problème est survenu et le changement n’a pas été annulé. Réessayez plus tard.",
  },
};

const de: UndoPageTexts = {
  title: "Adressänderung rückgängig machen",
  intro:
    "Die E-Mail-Adresse Ihres Kontos bei {issuer} wurde geändert. Wenn Sie das nicht waren, machen Sie es rückgängig: " +
    "Ihr Konto bekommt seine alte Adresse zurück, das Passwort wird entfernt, und alle werden abgemeldet, auch Sie. " +
    "Zweite Schritte und Wiederherstellungscodes, die weniger als drei Tage vor der Änderung oder seither eingerichtet " +
    "wurden, werden ebenfalls entfernt. Setzen Sie danach mit der alten Adresse Ihr Passwort zurück.",
  save: "Änderung rückgängig machen",
  saving: "Wird rückgängig gemacht …",
  done: "Ihr Konto hat seine alte Adresse wieder. Setzen Sie jetzt mit dieser Adresse Ihr Passwort zurück.",
  resetPassword: "Passwort zurücksetzen",
  ...LINK_PAGE_TEXTS.de,
  faults: {
    ...LINK_PAGE_TEXTS.de.faults,
    NO_TOKEN: LINK_PAGE_TEXTS.de.faults.NO_TOKEN +
      " Wenn dort nicht mehr steht und die Änderung nicht von Ihnen war, informieren Sie sofort Ihre Administration: Der Link gilt 72 Stunden.",
    OTP_INVALID_EXPIRED:
      "Dieser Link ist abgelaufen oder wurde schon benutzt. Wenn die Änderung nicht von Ihnen war, informieren Sie " +
      "sofort Ihre Administration.",
    UNKNOWN: "Etwas ist schiefgegangen, die Änderung besteht noch. Versuchen Sie es später noch einmal.",
  },
};

export const UNDO_PAGE_TEXTS: Readonly<Record<Language, UndoPageTexts>> = { en, nl, fr, de };
