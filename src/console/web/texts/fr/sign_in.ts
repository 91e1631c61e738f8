import type { Texts } from "../en.ts";

export const SIGN_IN: Texts["signIn"] = {
  title: "Connexion",
  over: "Cela a pris trop de temps, ou trop de codes étaient erronés. Recommencez depuis le début.",
  ended:
    "Votre session a été fermée. Reconnectez-vous\u202F: vous retrouverez ici ce que vous étiez en train de faire.",
  submit: "Se connecter",
  byPasskey: "Se connecter avec une clé d’accès",
  forgot: "Mot de passe oublié\u202F?",
  forgotTitle: "Choisir un nouveau mot de passe",
  forgotText:
    "Nous envoyons un lien à votre adresse. Valable 30 minutes, il vous permet de choisir un nouveau mot de passe.",
  forgotSubmit: "Envoyer le lien",
  forgotDone: "Si un compte existe avec cette adresse, un e-mail avec un lien est en route.",
  factorTitle: "Seconde étape",
  totp: "Code de votre application d’authentification",
  emailOtp: "Code reçu par e-mail",
  recoveryCode: "Code de récupération",
  passkeyHint: "Votre appareil vous demande votre empreinte, votre visage ou son code PIN.",
  hints: {
    totp: "Les six chiffres que l’application affiche en ce moment.",
    emailOtp: "Six chiffres, valables 10 minutes, et uniquement ici.",
    recoveryCode:
      "L’un des codes que vous avez conservés en configurant la seconde étape. Chacun ne fonctionne qu’une fois.",
  },
  emailOtpTo: "Nous envoyons un code à",
  emailOtpSend: "Envoyer le code",
  emailOtpSent: "Un code est en route vers",
  sendAgain: "Envoyer un autre code",
  nextMail: (time) => `Un autre code pourra être envoyé dans ${time}.`,
  factorSubmit: "Continuer",
  guesses: {
    malformed: "Ce code n’est pas complet. Rien n’a été envoyé.",
    wrong: "Le code est incorrect ou n’est plus valable.",
    wrongAndWait: (time) => `Le code est incorrect. Vous pourrez réessayer dans ${time}.`,
    wait: (time) => `Trop de codes erronés. Vous pourrez réessayer dans ${time}.`,
  },
  other: {
    passkey: "Utiliser une clé d’accès",
    totp: "Utiliser l’application d’authentification",
    emailOtp: "Recevoir un code par e-mail",
    recoveryCode: "Utiliser un code de récupération",
  },
  address: {
    title: { insecure: "Cette page a besoin de https", elsewhere: "Connectez-vous à une autre adresse" },
    text: {
      insecure:
        "À une adresse http, d’autres personnes sur le réseau pourraient lire votre mot de passe. Rien n’a été envoyé.",
      elsewhere: "Le service n’accepte pas de connexion à cette adresse. Rien n’a été envoyé.",
    },
    open: (host) => `Aller à ${host}`,
    ask: "Demandez à votre administrateur l’adresse https de ce service.",
  },
  startAgain: "Recommencer",
  demo: {
    title: "Essayer",
    about: (name) =>
      `${name} sait qui peut faire quoi sur une plateforme d’énergie\u202F: du pays jusqu’à chaque maison et ses appareils, en passant par les installateurs.`,
    stories: {
      why: "Pourquoi Tom peut-il lire les mesures de la batterie, mais pas la gérer\u202F?",
      sale: "Une maison est vendue\u202F: transmettre ses appareils",
      past: "Qui a eu accès à la maison ces 30 derniers jours\u202F?",
    },
    as: (name) => `En tant que ${name}`,
    people: "Ou se connecter en un clic comme l’une de ces personnes",
    docs: "L’interface pour les programmes",
    note: "Uniquement en développement\u202F: en production, cette liste n’existe pas.",
  },
};
