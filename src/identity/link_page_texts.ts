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
      NO_TOKEN: "The link is incomplete. Open it from your email again.",
      BUSY: "There are too many requests at the moment. Try again in {wait}.",
      NETWORK: "The service could not be reached. Check your connection and try again.",
    },
  },
  nl: {
    noScript: "Deze pagina heeft JavaScript nodig. Zet het aan in je browser en open de link opnieuw.",
    faults: {
      NO_TOKEN: "De link is onvolledig. Open hem opnieuw vanuit je e-mail.",
      BUSY: "Er zijn op dit moment te veel aanvragen. Probeer het over {wait} opnieuw.",
      NETWORK: "De dienst is niet bereikbaar. Controleer je verbinding en probeer het opnieuw.",
    },
  },
  fr: {
    noScript: "Cette page a besoin de JavaScript. Activez-le dans votre navigateur et rouvrez le lien.",
    faults: {
      NO_TOKEN: "Le lien est incomplet. Rouvrez-le depuis votre e-mail.",
      BUSY: "Il y a trop de demandes en ce moment. Réessayez dans {wait}.",
      NETWORK: "Le service est injoignable. Vérifiez votre connexion et réessayez.",
    },
  },
  de: {
    noScript:
      "Diese Seite benötigt JavaScript. Schalten Sie es im Browser ein und öffnen Sie den Link erneut.",
    faults: {
      NO_TOKEN: "Der Link ist unvollständig. Öffnen Sie ihn noch einmal aus Ihrer E-Mail.",
      BUSY: "Im Moment gibt es zu viele Anfragen. Versuchen Sie es in {wait} noch einmal.",
      NETWORK:
        "Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.",
    },
  },
};
