import type { Language } from "../../mail/languages.ts";

/** Reasons for rejecting a password: messages of the operation, and faults that the page finds. */
export type ResetPageFault =
  | "PASSWORD_TOO_SHORT"
  | "PASSWORD_TOO_LONG"
  | "PASSWORD_TOO_COMMON"
  | "PASSWORD_EQUALS_NAME"
  | "PASSWORD_BREACHED"
  | "OTP_INVALID_EXPIRED"
  | "DIFFERENT"
  | "NO_TOKEN"
  | "NO_ADDRESS"
  | "CODE_WRONG"
  | "BUSY"
  | "NETWORK"
  | "UNKNOWN";

/** The page's texts. `{issuer}` stands for the service's name, `{wait}` for a time such as "2 minutes". */
export interface ResetPageTexts {
  readonly title: string;
  readonly intro: string;
  readonly newPassword: string;
  readonly hint: string;
  readonly repeatPassword: string;
  readonly show: string;
  readonly save: string;
  readonly saving: string;
  readonly done: string;
  /** Texts of further links: to the sign-in, and to request another link. */
  readonly signIn: string;
  readonly newLink: string;
  /** Texts of the way by a code, for a link that lost its token. */
  readonly address: string;
  readonly sendCode: string;
  readonly sending: string;
  readonly codeSent: string;
  readonly code: string;
  /** After an invitation signed in, with the address as `{email}`: that, and the links that follow. */
  readonly signedIn: string;
  /** After an invitation would have signed in, but the browser has another session. */
  readonly otherSession: string;
  readonly openConsole: string;
  readonly addPasskey: string;
  readonly noScript: string;
  readonly faults: Readonly<Record<ResetPageFault, string>>;
}

const en: ResetPageTexts = {
  title: "Choose a password",
  intro: "This will be the password of your {issuer} account.",
  newPassword: "New password",
  hint: "At least 8 characters. A few unrelated words are easy to remember and hard to guess.",
  repeatPassword: "Repeat the new password",
  show: "Show the password",
  save: "Save password",
  saving: "Saving…",
  done: "Your password has been saved. You can sign in now.",
  signIn: "Sign in",
  newLink: "Request a new link",
  address: "Email address",
  sendCode: "Send a code",
  sending: "Sending…",
  codeSent:
    "If this address has an account, a code is on its way. Type it here within 10 minutes, with your new password.",
  code: "Code from the email",
  signedIn:
    "Your password has been saved, and you are signed in as {email}. With a passkey that you confirm by email, your device signs you in without a password.",
  otherSession:
    "The password of {email} has been saved. This browser is signed in, and stays so with the account that it has now. To use {email}, sign out and sign in with the new password.",
  openConsole: "Go to {issuer}",
  addPasskey: "Make a passkey",
  noScript: "This page needs JavaScript. Turn it on in your browser and open the link again.",
  faults: {
    PASSWORD_TOO_SHORT: "This password is too short. Use at least 8 characters.",
    PASSWORD_TOO_LONG: "This password is too long. Use at most 256 characters.",
    PASSWORD_TOO_COMMON: "Many people use this password, so it is easy to guess. Choose another one.",
    PASSWORD_EQUALS_NAME:
      "Your email address, the part before its @ and the name {issuer} cannot be used as a password.",
    PASSWORD_BREACHED: "This password appeared in a data breach of another service. Choose another one.",
    OTP_INVALID_EXPIRED:
      "This link has expired or has already been used. Request a new one to set your password.",
    DIFFERENT: "The two passwords are not the same. Type the new password again.",
    NO_TOKEN:
      "The link is incomplete: its end was lost on the way, as some mail gateways do to links. Open the whole address that the email shows, or get a code by email instead.",
    NO_ADDRESS: "This is not an email address.",
    CODE_WRONG:
      "This code is wrong or has expired. Check it, or open the link once more and get another code.",
    BUSY: "There are too many requests at the moment. Try again in {wait}.",
    NETWORK: "The service could not be reached. Check your connection and try again.",
    UNKNOWN: "Something went wrong and your password was not saved. Try again later.",
  },
};

const nl: ResetPageTexts = {
  title: "Kies een wachtwoord",
  intro: "Dit wordt het wachtwoord van je account bij {issuer}.",
  newPassword: "Nieuw wachtwoord",
  hint: "Minstens 8 tekens. Een paar losse woorden zijn makkelijk te onthouden en moeilijk te raden.",
  repeatPassword: "Herhaal het nieuwe wachtwoord",
  show: "Wachtwoord tonen",
  save: "Wachtwoord opslaan",
  saving: "Bezig met opslaan …",
  done: "Je wachtwoord is opgeslagen. Je kunt nu inloggen.",
  signIn: "Inloggen",
  newLink: "Vraag een nieuwe link aan",
  address: "E-mailadres",
  sendCode: "Stuur een code",
  sending: "Bezig met versturen …",
  codeSent:
    "Heeft dit adres een account, dan is er een code onderweg. Vul die hier binnen 10 minuten in, met je nieuwe wachtwoord.",
  code: "Code uit de e-mail",
  signedIn:
    "Je wachtwoord is opgeslagen en je bent ingelogd als {email}. Met een passkey die je per e-mail bevestigt, logt je apparaat je in zonder wachtwoord.",
  otherSession:
    "Het wachtwoord van {email} is opgeslagen. Deze browser is al ingelogd en blijft dat met het huidige account. Wil je {email} gebruiken, log dan uit en log in met het nieuwe wachtwoord.",
  openConsole: "Naar {issuer}",
  addPasskey: "Maak een passkey",
  noScript: "Deze pagina heeft JavaScript nodig. Zet het aan in je browser en open de link opnieuw.",
  faults: {
    PASSWORD_TOO_SHORT: "Dit wachtwoord is te kort. Gebruik minstens 8 tekens.",
    PASSWORD_TOO_LONG: "Dit wachtwoord is te lang. Gebruik hoogstens 256 tekens.",
    PASSWORD_TOO_COMMON: "Veel mensen gebruiken dit wachtwoord; het is makkelijk te raden. Kies een ander.",
    PASSWORD_EQUALS_NAME: "Je e-mailadres, je naam daarin en {issuer} kun je niet als wachtwoord gebruiken.",
    PASSWORD_BREACHED: "Dit wachtwoord is bij een andere dienst uitgelekt. Kies een ander.",
    OTP_INVALID_EXPIRED:
      "Deze link is verlopen of al gebruikt. Vraag een nieuwe aan om je wachtwoord in te stellen.",
    DIFFERENT: "De twee wachtwoorden zijn niet gelijk. Typ het nieuwe wachtwoord opnieuw.",
    NO_TOKEN:
      "De link is onvolledig: het einde is onderweg verloren gegaan, zoals sommige mailgateways met links doen. Open het hele adres dat in de e-mail staat, of laat je in plaats daarvan een code mailen.",
    NO_ADDRESS: "Dit is geen e-mailadres.",
    CODE_WRONG:
      "Deze code is onjuist of verlopen. Controleer hem, of open de link nog eens en vraag een andere code aan.",
    BUSY: "Er zijn op dit moment te veel aanvragen. Probeer het over {wait} opnieuw.",
    NETWORK: "De dienst is niet bereikbaar. Controleer je verbinding en probeer het opnieuw.",
    UNKNOWN: "Er ging iets mis en je wachtwoord is niet opgeslagen. Probeer het later opnieuw.",
  },
};

const fr: ResetPageTexts = {
  title: "Choisissez un mot de passe",
  intro: "Ce sera le mot de passe de votre compte {issuer}.",
  newPassword: "Nouveau mot de passe",
  hint: "Au moins 8 caractères. Quelques mots sans rapport sont faciles à retenir et difficiles à deviner.",
  repeatPassword: "Répétez le nouveau mot de passe",
  show: "Afficher le mot de passe",
  save: "Enregistrer le mot de passe",
  saving: "Enregistrement…",
  done: "Votre mot de passe est enregistré. Vous pouvez maintenant vous connecter.",
  signIn: "Se connecter",
  newLink: "Demander un nouveau lien",
  address: "Adresse e-mail",
  sendCode: "Envoyer un code",
  sending: "Envoi…",
  codeSent:
    "Si cette adresse a un compte, un code est en route. Saisissez-le ici dans les 10 minutes, avec votre nouveau mot de passe.",
  code: "Code reçu par e-mail",
  signedIn:
    "Votre mot de passe est enregistré et votre session est ouverte avec {email}. Avec une clé d’accès que vous confirmez par e-mail, votre appareil vous connecte sans mot de passe.",
  otherSession:
    "Le mot de passe de {email} est enregistré. Ce navigateur est déjà connecté et le reste avec le compte actuel. Pour utiliser {email}, déconnectez-vous puis connectez-vous avec le nouveau mot de passe.",
  openConsole: "Aller à {issuer}",
  addPasskey: "Créer une clé d’accès",
  noScript: "Cette page a besoin de JavaScript. Activez-le dans votre navigateur et rouvrez le lien.",
  faults: {
    PASSWORD_TOO_SHORT: "Ce mot de passe est trop court. Utilisez au moins 8 caractères.",
    PASSWORD_TOO_LONG: "Ce mot de passe est trop long. Utilisez au plus 256 caractères.",
    PASSWORD_TOO_COMMON: "Ce mot de passe est très répandu, donc facile à deviner. Choisissez-en un autre.",
    PASSWORD_EQUALS_NAME:
      "Votre adresse e-mail, le nom qu’elle contient et {issuer} ne peuvent pas servir de mot de passe.",
    PASSWORD_BREACHED:
      "Ce mot de passe figure dans une fuite de données d’un autre service. Choisissez-en un autre.",
    OTP_INVALID_EXPIRED:
      "Ce lien a expiré ou a déjà été utilisé. Demandez-en un nouveau pour définir votre mot de passe.",
    DIFFERENT: "Les deux mots de passe sont différents. Saisissez à nouveau le nouveau mot de passe.",
    NO_TOKEN:
      "Le lien est incomplet\u202F: sa fin s’est perdue en route, car certaines passerelles de messagerie raccourcissent les liens. Ouvrez l’adresse entière que montre l’e-mail, ou recevez plutôt un code par e-mail.",
    NO_ADDRESS: "Ce n’est pas une adresse e-mail.",
    CODE_WRONG:
      "Ce code est incorrect ou a expiré. Vérifiez-le, ou rouvrez le lien et demandez un autre code.",
    BUSY: "Il y a trop de demandes en ce moment. Réessayez dans {wait}.",
    NETWORK: "Le service est injoignable. Vérifiez votre connexion et réessayez.",
    UNKNOWN: "Un problème est survenu et votre mot de passe n’a pas été enregistré. Réessayez plus tard.",
  },
};

const de: ResetPageTexts = {
  title: "Passwort wählen",
  intro: "Dies wird das Passwort Ihres Kontos bei {issuer}.",
  newPassword: "Neues Passwort",
  hint: "Mindestens 8 Zeichen. Einige zusammenhanglose Wörter sind leicht zu merken und schwer zu erraten.",
  repeatPassword: "Neues Passwort wiederholen",
  show: "Passwort anzeigen",
  save: "Passwort speichern",
  saving: "Wird gespeichert …",
  done: "Ihr Passwort wurde gespeichert. Sie können sich jetzt anmelden.",
  signIn: "Anmelden",
  newLink: "Neuen Link anfordern",
  address: "E-Mail-Adresse",
  sendCode: "Code senden",
  sending: "Wird gesendet …",
  codeSent:
    "Wenn diese Adresse ein Konto hat, ist ein Code unterwegs. Geben Sie ihn hier innerhalb von 10 Minuten ein, mit Ihrem neuen Passwort.",
  code: "Code aus der E-Mail",
  signedIn:
    "Ihr Passwort wurde gespeichert, und Sie sind als {email} angemeldet. Mit einem Passkey, den Sie per E-Mail bestätigen, meldet Ihr Gerät Sie ohne Passwort an.",
  otherSession:
    "Das Passwort von {email} wurde gespeichert. Dieser Browser ist bereits angemeldet und bleibt es mit dem jetzigen Konto. Um {email} zu benutzen, melden Sie sich ab und mit dem neuen Passwort an.",
  openConsole: "Zu {issuer}",
  addPasskey: "Passkey erstellen",
  noScript: "Diese Seite benötigt JavaScript. Schalten Sie es im Browser ein und öffnen Sie den Link erneut.",
  faults: {
    PASSWORD_TOO_SHORT: "Dieses Passwort ist zu kurz. Verwenden Sie mindestens 8 Zeichen.",
    PASSWORD_TOO_LONG: "Dieses Passwort ist zu lang. Verwenden Sie höchstens 256 Zeichen.",
    PASSWORD_TOO_COMMON:
      "Dieses Passwort wird sehr häufig benutzt und ist leicht zu erraten. Wählen Sie ein anderes.",
    PASSWORD_EQUALS_NAME:
      "Ihre E-Mail-Adresse, der Name darin und {issuer} können nicht als Passwort verwendet werden.",
    PASSWORD_BREACHED:
      "Dieses Passwort ist bei einem anderen Dienst bekannt geworden. Wählen Sie ein anderes.",
    OTP_INVALID_EXPIRED:
      "Dieser Link ist abgelaufen oder wurde schon benutzt. Fordern Sie einen neuen an, um Ihr Passwort festzulegen.",
    DIFFERENT: "Die beiden Passwörter sind verschieden. Geben Sie das neue Passwort noch einmal ein.",
    NO_TOKEN:
      "Der Link ist unvollständig: Sein Ende ging unterwegs verloren, weil manche Mail-Gateways Links kürzen. Öffnen Sie die ganze Adresse, die in der E-Mail steht, oder lassen Sie sich stattdessen einen Code per E-Mail senden.",
    NO_ADDRESS: "Das ist keine E-Mail-Adresse.",
    CODE_WRONG:
      "Dieser Code ist falsch oder abgelaufen. Prüfen Sie ihn, oder öffnen Sie den Link noch einmal und fordern Sie einen anderen Code an.",
    BUSY: "Im Moment gibt es zu viele Anfragen. Versuchen Sie es in {wait} noch einmal.",
    NETWORK: "Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.",
    UNKNOWN:
      "Etwas ist schiefgegangen, Ihr Passwort wurde nicht gespeichert. Versuchen Sie es später noch einmal.",
  },
};

export const RESET_PAGE_TEXTS: Readonly<Record<Language, ResetPageTexts>> = { en, nl, fr, de };
