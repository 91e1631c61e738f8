import type { Texts } from "../en.ts";

export const SIGN_IN: Texts["signIn"] = {
  title: "Inloggen",
  over: "Dat duurde te lang, of er waren te veel verkeerde codes. Begin opnieuw.",
  ended: "Je sessie is beëindigd. Log opnieuw in: waar je mee bezig was, staat er nog.",
  submit: "Inloggen",
  byPasskey: "Inloggen met een passkey",
  forgot: "Wachtwoord vergeten?",
  forgotTitle: "Kies een nieuw wachtwoord",
  forgotText:
    "We sturen een link naar je adres. Daarmee kies je een nieuw wachtwoord. De link is 30 minuten geldig.",
  forgotSubmit: "Link versturen",
  forgotDone: "Als er een account met dit adres is, is er een e-mail met een link onderweg.",
  factorTitle: "Tweede stap",
  totp: "Code uit je authenticator-app",
  emailOtp: "Code uit de e-mail",
  recoveryCode: "Herstelcode",
  passkeyHint: "Je apparaat vraagt om je vingerafdruk, je gezicht of zijn pincode.",
  hints: {
    totp: "De zes cijfers die de app nu toont.",
    emailOtp: "Zes cijfers. Ze zijn 10 minuten geldig, en alleen hier.",
    recoveryCode:
      "Een van de codes die je hebt bewaard toen je de tweede stap instelde. Elke code werkt één keer.",
  },
  emailOtpTo: "We sturen een code naar",
  emailOtpSend: "Code versturen",
  emailOtpSent: "Er is een code onderweg naar",
  sendAgain: "Nog een code versturen",
  nextMail: (time) => `Over ${time} kan er weer een worden verstuurd.`,
  factorSubmit: "Verder",
  guesses: {
    malformed: "Dat is geen volledige code. Er is niets verstuurd.",
    wrong: "De code is onjuist of niet meer geldig.",
    wrongAndWait: (time) => `De code is onjuist. Over ${time} kun je het opnieuw proberen.`,
    wait: (time) => `Te veel verkeerde codes. Over ${time} kun je het opnieuw proberen.`,
  },
  other: {
    passkey: "Een passkey gebruiken",
    totp: "De authenticator-app gebruiken",
    emailOtp: "Een code per e-mail krijgen",
    recoveryCode: "Een herstelcode gebruiken",
  },
  address: {
    title: { insecure: "Deze pagina heeft https nodig", elsewhere: "Log in op een ander adres" },
    text: {
      insecure: "Op een http-adres kunnen anderen op het netwerk je wachtwoord lezen. Er is niets verstuurd.",
      elsewhere: "Op dit adres kun je bij de dienst niet inloggen. Er is niets verstuurd.",
    },
    open: (host) => `Ga naar ${host}`,
    ask: "Vraag je beheerder naar het https-adres van deze dienst.",
  },
  startAgain: "Opnieuw beginnen",
  demo: {
    title: "Proberen",
    about: (name) =>
      `${name} weet wie wat mag op een energieplatform: van het land via installateurs tot elk huis en de apparaten ervan.`,
    stories: {
      why: "Waarom mag Tom de batterij lezen, maar niet beheren?",
      sale: "Een huis is verkocht: draag de apparaten over",
      past: "Wie had in de afgelopen 30 dagen toegang tot het huis?",
    },
    as: (name) => `Als ${name}`,
    people: "Of log met één klik in als een van deze personen",
    docs: "De interface voor programma’s",
    note: "Alleen tijdens ontwikkeling: een dienst in productie heeft deze lijst niet.",
  },
};
