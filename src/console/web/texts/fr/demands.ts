import type { Texts } from "../en.ts";
import { parts } from "../parts.ts";
import { plural, roles } from "./words.ts";

const oneOf = plural("de [ce rôle|l’un de ces # rôles]");

export const DEMANDS: Texts["demands"] = {
  needs: {
    none: "rien de plus que la connexion",
    required: "une application d’authentification ou une clé d’accès",
    "phishing-resistant": "une clé d’accès",
  },
  options: {
    none: "Rien de plus que la connexion",
    required: "Application d’authentification ou clé d’accès",
    "phishing-resistant": "Clé d’accès",
  },

  stepUp: {
    title: "Votre seconde étape est nécessaire",
    ask: {
      required:
        "Pour ce rôle, il faut une application d’authentification ou une clé d’accès. Utilisez la vôtre une fois\u202F: cela compte jusqu’à votre déconnexion.",
      "phishing-resistant":
        "Pour ce rôle, il faut une clé d’accès. Utilisez la vôtre une fois\u202F: cela compte jusqu’à votre déconnexion.",
    },
    none: {
      required:
        "Votre compte n’a ni l’une ni l’autre. Configurez-en une, puis ouvrez le lien dans l’e-mail que nous vous enverrons\u202F: c’est seulement alors qu’elle compte. Les codes par e-mail et les codes de récupération ne suffisent pas.",
      "phishing-resistant":
        "Votre compte n’en a pas. Ajoutez-en une, puis ouvrez le lien dans l’e-mail que nous vous enverrons\u202F: c’est seulement alors qu’elle compte.",
    },
    unconfirmed:
      "Vous l’avez configurée, mais pas encore confirmée. Ouvrez le lien dans l’e-mail que nous vous avons envoyé à ce moment-là, puis réessayez.",
    toAccount: "Vers votre compte",
    button: "Utiliser la seconde étape",
    done: "Votre seconde étape compte désormais, jusqu’à votre déconnexion.",
  },

  dormant: {
    title: "Appartenances en sommeil",
    text:
      "Une appartenance en sommeil ne vous donne rien, comme si vous n’étiez pas membre, tant que cette session n’a pas montré ce que le rôle exige.",
    now: (needs) => `En sommeil\u202F: il faut ${needs}.`,
    later: (needs) => `En sommeil à partir du {from}\u202F: il faudra ${needs}.`,
    banner: plural(
      "[Une|#] de vos appartenances [est|sont] en sommeil\u202F: vous ne voyez donc pas tout ce qui est à vous.",
    ),
    bannerLater: "À partir du {from}, un rôle exigera de vous plus que ce que cette session a montré.",
    which: "En savoir plus",
  },

  policy: {
    title: "Ce qu’il exige de ses membres",
    now: (needs) => `Ce que ses membres doivent fournir pour agir en son nom\u202F: ${needs}.`,
    later: (needs, before) =>
      `Ce que ses membres devront fournir pour agir en son nom à partir du {from}\u202F: ${needs}. D’ici là\u202F: ${before}.`,
    was: (needs) => `Avant\u202F: ${needs}.`,
    wasPlanned: (now, needs) => `Avant\u202F: ${now}, et ${needs} à partir du {from}.`,
    change: "Changer ce qu’il exige",
    formTitle: (role) => parts`Ce que ${role} exige de ses membres`,
    what: "Pour agir au nom du rôle, les membres doivent fournir",
    from: "À partir du",
    fromHint: (zone) => `Dans votre fuseau horaire, ${zone}. Vide\u202F: tout de suite.`,
    choices: { now: "Tout de suite", week: "Dans une semaine", month: "Dans 30 jours" },
    tooFar: (days) => `C’est dans plus de ${days} jours.`,
    own: "Vous devez vous-même l’avoir fourni dans cette session\u202F; sinon, cela vous est demandé.",
    unchanged: "C’est déjà ce qu’il exige.",
    set: "L’exiger",
    lift: "Ne rien exiger de plus",
    done: "Le rôle l’exige désormais de ses membres.",
    lifted: "Le rôle n’exige rien de plus que la connexion.",
    liftText: "Tous ses membres agissent à nouveau en son nom dès qu’ils sont connectés.",
    unmet: plural(
      "On ne sait pas si [un autre membre en dispose. Son appartenance sera|# autres membres en disposent. Leurs appartenances seront] alors en sommeil tant [qu’il ne l’a|qu’ils ne l’ont] pas montré.",
      "Tous les autres membres l’ont déjà montré lors de leur dernière modification.",
    ),
    unmetHidden:
      "Vous n’avez pas le droit de voir les membres\u202F: il n’est donc pas dit combien l’ont déjà montré.",
    keys:
      "Les clés des programmes continuent de fonctionner. Les rôles créés plus tard sous celui-ci commencent par la même exigence.",
    noUndo: "Cela ne peut pas être annulé depuis le journal, mais se redéfinit ici.",
    forbidden:
      "Vous n’avez pas le droit de le définir\u202F: il faut la gestion des rôles depuis un rôle au-dessus ou, pour un rôle au sommet, celle de ses membres.",
    noAwake:
      "Plus personne ne pourrait gérer ce rôle au sommet\u202F: un membre avec la gestion des rôles, dont l’appartenance n’a pas de fin, doit d’abord montrer cette seconde étape et faire une modification avec elle.",
  },

  several: {
    also: "Aussi pour un autre rôle",
    full: (most) => `${most} rôles au plus à la fois.`,
    below: plural("Aussi pour # [rôle|rôles] juste en dessous"),
    manyBelow: (most) =>
      `Plus de ${most} rôles sont juste en dessous, et on peut en choisir ${most + 1} au plus à la fois.`,
    leaveOut: "Laisser de côté\u202F: ",
    each: (n, needs, isLater) =>
      `Ce que les membres ${isLater ? "devront" : "doivent"} fournir pour agir au nom ${oneOf(n)}${
        isLater ? " à partir du {from}" : ""
      }\u202F: ${needs}.`,
    unmet: plural(
      "Pas encore montré, pour autant qu’on sache, par # [autre membre|autres membres]",
      "Tous les autres membres l’ont montré.",
    ),
    note:
      "Les appartenances pour lesquelles cela n’a pas été montré sont en sommeil jusque-là. Les clés des programmes continuent de fonctionner. Les rôles créés plus tard sous l’un d’eux commencent par la même exigence.",
    roles,
    done: plural("# [rôle a été modifié|rôles ont été modifiés]."),
  },
};
