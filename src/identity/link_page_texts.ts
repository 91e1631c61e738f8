import type { Language } from "../mail/languages.ts";

/** The texts that the pages of links share. `{wait}` stands for a time such as "2 minutes". */
interface SharedTexts {
  readonly noScript: string;
  readonly faults: Readonly<Record<"NO_TOKEN" | "BUSY" | "NETWORK", string>>;
}

export const LINK_PAGE_TEXTS: Readonly<Record<Language, SharedTexts>> = {
  en: {
    noScript: "This page needs JavaScript. Turn it on in your browser and open the link again.",
    faults: {
      NO_TOKEN:
        "The link is incomplete: its end was lost on the way, as some mail gateways do to links. Copy the whole address that the email shows, up to its end, and open that.",
      BUSY: "There are too many requests at the moment. Try again in {wait}.",
      NETWORK: "The service could not be reached. Check your connection and try again.",
    },
  },
  nl: {
    noScript: "Deze pagina heeft JavaScript nodig. Zet het aan in je browser en open de link opnieuw.",
    faults: {
      NO_TOKEN:
        "De link is onvolledig: het einde is onderweg verloren gegaan, zoals sommige mailgateways met links doen. Kopieer het hele adres dat in de e-mail staat, tot het einde, en open dat.",
      BUSY: "Er zijn op dit moment te veel aanvragen. Probeer het over {wait} opnieuw.",
      NETWORK: "De dienst is niet bereikbaar. Controleer je verbinding en probeer het opnieuw.",
    },
  },
  fr: {
    noScript: "Cette page a besoin de JavaScript. Activez-le dans votre navigateur et rouvrez le lien.",
    faults: {
      NO_TOKEN:
        "Le lien est incomplet\u202F: sa fin s’est perdue en route, car certaines passerelles de messagerie raccourcissent les liens. Copiez l’adresse entière que montre l’e-mail, jusqu’à la fin, et ouvrez-la.",
      BUSY: "Il y a trop de demandes en ce moment. Réessayez dans {wait}.",
      NETWORK: "Le service est injoignable. Vérifiez votre connexion et réessayez.",
    },
  },
  de: {
    noScript:
      "Diese Seite benötigt JavaScript. Schalten Sie es im Browser ein und öffnen Sie den Link erneut.",
    faults: {
      NO_TOKEN:
        "Der Link ist unvollständig: Sein Ende ging unterwegs verloren, weil manche Mail-Gateways Links kürzen. Kopieren Sie die ganze Adresse, die in der E-Mail steht, bis zu ihrem Ende, und öffnen Sie diese.",
      BUSY: "Im Moment gibt es zu viele Anfragen. Versuchen Sie es in {wait} noch einmal.",
      NETWORK:
        "Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.",
    },
  },
};
