import type { Texts } from "../en.ts";
import { parts } from "../parts.ts";
import { plural, roles } from "./words.ts";

const oneOf = plural("[deze rol|een van deze # rollen]");

export const DEMANDS: Texts["demands"] = {
  needs: {
    none: "niets meer dan inloggen",
    required: "een authenticator-app of een passkey",
    "phishing-resistant": "een passkey",
  },
  options: {
    none: "Niets meer dan inloggen",
    required: "Authenticator-app of passkey",
    "phishing-resistant": "Passkey",
  },

  stepUp: {
    title: "Je tweede stap is nodig",
    ask: {
      required:
        "Voor deze rol is een authenticator-app of een passkey nodig. Gebruik die één keer, dan telt dat tot je uitlogt.",
      "phishing-resistant":
        "Voor deze rol is een passkey nodig. Gebruik die één keer, dan telt dat tot je uitlogt.",
    },
    none: {
      required:
        "Je account heeft geen van beide. Stel er een in, en open daarna de link in de e-mail die we je daarover sturen: pas dan telt die mee. Codes per e-mail en herstelcodes zijn niet genoeg.",
      "phishing-resistant":
        "Je account heeft er geen. Voeg er een toe, en open daarna de link in de e-mail die we je daarover sturen: pas dan telt die mee.",
    },
    unconfirmed:
      "Je hebt dat ingesteld, maar nog niet bevestigd. Open de link in de e-mail die we je toen hebben gestuurd, en probeer het opnieuw.",
    toAccount: "Naar je account",
    button: "Tweede stap gebruiken",
    done: "Je tweede stap telt vanaf nu, tot je uitlogt.",
  },

  dormant: {
    title: "Slapende lidmaatschappen",
    text:
      "Een slapend lidmaatschap geeft je niets, alsof je geen lid bent, tot deze sessie heeft laten zien wat de rol eist.",
    now: (needs) => `Slaapt: heeft ${needs} nodig.`,
    later: (needs) => `Slaapt vanaf {from}: heeft dan ${needs} nodig.`,
    banner: plural("[Een|#] van je lidmaatschappen [slaapt|slapen], dus je ziet niet alles wat van jou is."),
    bannerLater: "Vanaf {from} eist een rol meer van je dan deze sessie heeft laten zien.",
    which: "Meer hierover",
  },

  policy: {
    title: "Wat de rol van de leden eist",
    now: (needs) => `Wat leden nodig hebben om namens deze rol te handelen: ${needs}.`,
    later: (needs, before) =>
      `Wat leden vanaf {from} nodig hebben om namens deze rol te handelen: ${needs}. Tot dan: ${before}.`,
    was: (needs) => `Daarvoor: ${needs}.`,
    wasPlanned: (now, needs) => `Daarvoor: ${now}, en vanaf {from} ${needs}.`,
    change: "Wijzigen wat de rol eist",
    formTitle: (role) => parts`Wat ${role} van de leden eist`,
    what: "Om namens de rol te handelen, hebben leden nodig",
    from: "Vanaf",
    fromHint: (zone) => `In je tijdzone, ${zone}. Leeg: meteen.`,
    choices: { now: "Meteen", week: "Over een week", month: "Over 30 dagen" },
    tooFar: (days) => `Dat is over meer dan ${days} dagen.`,
    own: "Je moet dit in deze sessie zelf hebben getoond; zo niet, dan wordt het gevraagd.",
    unchanged: "Dat eist de rol al.",
    set: "Dit eisen",
    lift: "Niets meer eisen",
    done: "De rol eist dit van de leden.",
    lifted: "De rol eist niets meer dan inloggen.",
    liftText: "Alle leden handelen weer namens de rol zodra ze zijn ingelogd.",
    unmet: plural(
      "Van [één ander lid|# andere leden] is niet bekend dat [die dat heeft. Dat lidmaatschap slaapt dan tot die het laat zien|ze dat hebben. Hun lidmaatschappen slapen dan tot ze het laten zien].",
      "Alle andere leden hebben dat bij hun laatste wijziging al laten zien.",
    ),
    unmetHidden: "Je mag de leden niet zien, dus er staat niet bij hoeveel het al hebben laten zien.",
    keys:
      "Sleutels van programma’s blijven werken. Rollen die later onder deze worden gemaakt, beginnen met dezelfde eis.",
    noUndo: "Dit kun je niet ongedaan maken vanuit de wijzigingen, maar hier wel opnieuw instellen.",
    forbidden:
      "Je mag dit niet instellen: daarvoor is rolbeheer nodig vanuit een rol erboven, of bij een bovenste rol als lid ervan.",
    noAwake:
      "Dan zou niemand deze bovenste rol kunnen beheren: een lid met rolbeheer, van wie het lidmaatschap niet eindigt, moet eerst die tweede stap laten zien en daarmee iets wijzigen.",
  },

  several: {
    also: "Ook voor een andere rol",
    full: (most) => `Hoogstens ${most} rollen worden in één keer ingesteld.`,
    below: plural("Ook voor # [rol|rollen] direct eronder"),
    manyBelow: (most) =>
      `Er zitten meer dan ${most} rollen direct onder, en hoogstens ${
        most + 1
      } worden in één keer ingesteld.`,
    leaveOut: "Weglaten: ",
    each: (n, needs, isLater) =>
      `Wat leden ${isLater ? "vanaf {from} " : ""}nodig hebben om namens ${oneOf(n)} te handelen: ${needs}.`,
    unmet: plural(
      "Voor zover bekend nog niet getoond door # [ander lid|andere leden]",
      "Alle andere leden hebben dat laten zien.",
    ),
    note:
      "Lidmaatschappen van wie het niet heeft laten zien, slapen tot het is getoond. Sleutels van programma’s blijven werken. Rollen die later onder een van deze worden gemaakt, beginnen met dezelfde eis.",
    roles,
    done: plural("# [rol is|rollen zijn] gewijzigd."),
  },
};
