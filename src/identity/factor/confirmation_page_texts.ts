import type { LinkPageTexts } from "../../http/link_page/link_page.ts";
import type { Language } from "../../mail/languages.ts";
import { LINK_PAGE_TEXTS } from "../link_page_texts.ts";

/** The texts of the page. `{issuer}` stands for the service's name, `{wait}` for a time such as "2 minutes". */
export interface ConfirmationPageTexts extends LinkPageTexts {
  /** The text of the link shown after success. */
  readonly next: string;
}

export const CONFIRMATION_PAGE_TEXTS: Readonly<Record<Language, ConfirmationPageTexts>> = {
  en: {
    ...LINK_PAGE_TEXTS.en,
    title: "Confirm a sign-in method",
    intro:
      "A sign-in method was added to your {issuer} account. Confirm it if you added it yourself: from then on, it counts for roles that demand it, and a passkey signs you in without your password. If that was not you, do not confirm it; reset your password and tell your administrator.",
    save: "Confirm",
    saving: "Confirming…",
    done: "The sign-in method is confirmed. Sign in with it for roles that demand it.",
    next: "Go to your account",
    faults: {
      ...LINK_PAGE_TEXTS.en.faults,
      NO_TOKEN: LINK_PAGE_TEXTS.en.faults.NO_TOKEN +
        " If the email shows no more of it, remove the sign-in method in your account and add it again for a new email, or ask your administrator to let links in emails pass unchanged.",
      OTP_INVALID_EXPIRED:
        "This link has expired or has already been used, or the sign-in method was removed.",
      UNKNOWN: "Something went wrong and nothing was confirmed. Try again later.",
    },
  },
  nl: {
    ...LINK_PAGE_TEXTS.nl,
    title: "Inlogmethode bevestigen",
    intro:
      "Aan je account bij {issuer} is een inlogmethode toegevoegd. Bevestig die als je dat zelf hebt gedaan: daarna telt die voor rollen die dat eisen, en met een passkey log je in zonder wachtwoord. Was jij het niet? Bevestig dan niets, stel een nieuw wachtwoord in en waarschuw je beheerder.",
    save: "Bevestigen",
    saving: "Bezig met bevestigen …",
    done: "De inlogmethode is bevestigd. Log ermee in voor rollen die dat eisen.",
    next: "Naar je account",
    faults: {
      ...LINK_PAGE_TEXTS.nl.faults,
      NO_TOKEN: LINK_PAGE_TEXTS.nl.faults.NO_TOKEN +
        " Staat er in de e-mail niet meer, verwijder dan de inlogmethode in je account en voeg die opnieuw toe voor een nieuwe e-mail, of vraag je beheerder om links in e-mails onveranderd door te laten.",
      OTP_INVALID_EXPIRED: "Deze link is verlopen of al gebruikt, of de inlogmethode is verwijderd.",
      UNKNOWN: "Er ging iets mis en er is niets bevestigd. Probeer het later opnieuw.",
    },
  },
  fr: {
    ...LINK_PAGE_TEXTS.fr,
    title: "Confirmer un moyen de connexion",
    intro:
      "Un moyen de connexion a été ajouté à votre compte {issuer}. Confirmez-le si cela vient de vous\u202F: il ouvrira alors les rôles qui le demandent, et une clé d’accès connectera sans votre mot de passe. Si ce n’est pas le cas, ne confirmez rien\u202F; réinitialisez votre mot de passe et prévenez votre administrateur.",
    save: "Confirmer",
    saving: "Confirmation…",
    done:
      "Le moyen de connexion est confirmé. Connectez-vous avec lui pour ouvrir les rôles qui le demandent.",
    next: "Aller à votre compte",
    faults: {
      ...LINK_PAGE_TEXTS.fr.faults,
      NO_TOKEN: LINK_PAGE_TEXTS.fr.faults.NO_TOKEN +
        " Si l’e-mail n’en montre pas plus, supprimez le moyen de connexion dans votre compte et ajoutez-le de nouveau pour recevoir un autre e-mail, ou demandez à votre administrateur de laisser passer les liens sans les modifier.",
      OTP_INVALID_EXPIRED: "Ce lien a expiré ou a déjà été utilisé, ou le moyen de connexion a été supprimé.",
      UNKNOWN: "Un problème est survenu et rien n’a été confirmé. Réessayez plus tard.",
    },
  },
  de: {
    ...LINK_PAGE_TEXTS.de,
    title: "Anmeldemethode bestätigen",
    intro:
      "Zu Ihrem Konto bei {issuer} wurde eine Anmeldemethode hinzugefügt. Bestätigen Sie sie, wenn Sie das selbst waren: Von da an öffnet sie Rollen, die danach verlangen, und ein Passkey meldet ohne Ihr Passwort an. Wenn Sie das nicht waren, bestätigen Sie nichts; setzen Sie Ihr Passwort zurück und informieren Sie Ihre Administration.",
    save: "Bestätigen",
    saving: "Wird bestätigt …",
    done:
      "Die Anmeldemethode ist bestätigt. Melden Sie sich damit an, um Rollen zu öffnen, die danach verlangen.",
    next: "Zu Ihrem Konto",
    faults: {
      ...LINK_PAGE_TEXTS.de.faults,
      NO_TOKEN: LINK_PAGE_TEXTS.de.faults.NO_TOKEN +
        " Wenn dort nicht mehr steht, entfernen Sie die Anmeldemethode in Ihrem Konto und fügen Sie sie für eine neue E-Mail noch einmal hinzu, oder bitten Sie Ihre Administration, Links in E-Mails unverändert durchzulassen.",
      OTP_INVALID_EXPIRED:
        "Dieser Link ist abgelaufen oder wurde schon benutzt, oder die Anmeldemethode wurde entfernt.",
      UNKNOWN: "Etwas ist schiefgegangen, und nichts wurde bestätigt. Versuchen Sie es später noch einmal.",
    },
  },
};
