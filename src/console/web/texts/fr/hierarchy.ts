import type { Texts } from "../en.ts";
import { capped, countBoth } from "../plural.ts";
import { plural, roles } from "./words.ts";

const bare = capped(plural("#"));

export const HIERARCHY: Texts["hierarchy"] = {
  skip: "Passer le schéma",
  picture: "Le schéma",
  role: (id) => `Rôle ${id}`,

  box: (name, rights) => `${name}\u202F: ${rights}`,
  boxMore: countBoth(
    plural("# [autre rôle|autres rôles] au-dessus"),
    plural("# [autre rôle|autres rôles] juste en dessous"),
  ),
  boxBelow: capped(plural("# [rôle|rôles] en dessous")),
  relation: (parent, child, rights) => `${parent} gère ${child}\u202F: ${rights}`,
  relationLoses: (parent, child, rights, lost) =>
    `${parent} gère ${child}\u202F: ${rights}. Perdu ici\u202F: ${lost}`,
  noAccess: "aucun accès",
  notKnown: "non visible pour vous",
  more: (n) => `+ ${n}`,

  toBe: {
    title: "Le schéma montre ce qui serait\u202F:",
    lost: "serait perdu",
    gained: "serait obtenu",
    new: "s’ajouterait",
    deleted: "disparaîtrait",
    unsure: "peut changer",
  },

  below: (children, shown, descendants) => {
    if (children === 0) return "Rien en dessous";
    const first = shown < children
      ? `${bare(shown)} sur ${bare(children)} rôles juste en dessous`
      : `${roles(children)} juste en dessous`;
    return `${first} · ${bare(descendants)} au total`;
  },
  moreChildren: (n) => n === 1 ? "Afficher le suivant" : `Afficher les ${n} suivants`,
  pictureFull: "Tout voir dans une liste",
  above: plural("# [rôle|rôles] au-dessus"),
  openAbove: "Afficher tous les niveaux",
  zoom: { label: "Taille du schéma", out: "Réduire", in: "Agrandir", whole: "100\u202F%", fit: "Ajuster" },

  person: {
    rightsOf: "Droits\u202F:",
    you: "les vôtres",
    memberOf: "membre de",
    memberElsewhere: "membre d’un rôle que vous ne voyez pas",
    hint: "Le début suffit pour les personnes qui ont accès. Pour une autre, saisissez l’adresse entière.",
    yours: "Afficher vos propres droits",
    people: (name) => `Personnes ayant accès à ${name}`,
    nobody: "Aucune adresse ne commence ainsi.",
    notForYou: "Vous n’avez pas le droit de voir qui a accès à ce rôle.",
    badAddress: (text) =>
      `«\u202F${text}\u202F» n’est pas une adresse e-mail. Le schéma montre vos propres droits.`,
    noAccess: "Cette personne n’a accès à aucun de ces rôles, ou son adresse n’est pas connue ici.",
    mayNotAsk:
      "Vous ne pouvez pas voir ce que d’autres peuvent faire sur ces rôles. Il faut pour cela la gestion des utilisateurs.",
  },

  empty: {
    title: "Vous n’êtes membre d’aucun rôle",
    text: "Une personne qui gère les membres d’un rôle peut vous y ajouter.",
    address: "Donnez-lui l’adresse de votre compte\u202F:",
  },
  dormant: {
    title: "Vous avez des appartenances en sommeil",
    text:
      "Une de vos appartenances est en sommeil, ce qui peut être la raison. La note ci-dessus dit quoi faire.",
  },
  past: {
    show: "Dans le passé",
    asOf: (time) => `État du ${time}`,
    after: (revision) => `État après la révision ${revision}`,
    back: "Revenir à maintenant",
    began: (time) => `L’historique conservé commence le ${time}.`,
    none: "Le rôle n’était pas là à ce moment, ou vous n’avez pas le droit de le voir",
    noPeople: "Personne n’avait accès, ou vous n’avez pas le droit de voir qui.",
  },
  gone: {
    title: "Ce rôle n’existe pas, ou vous n’avez pas le droit de le voir",
    text: "Il a peut-être été supprimé, ou vous n’y avez pas accès. Qui gère ses membres peut vous inviter.",
    back: "Vers vos rôles",
  },
  lost: {
    title: (name) => `Vous ne voyez plus ${name}`,
    text:
      "Pendant que vous regardiez, ce rôle a été supprimé, ou votre accès vous a été retiré. Qui gère ses membres peut vous inviter à nouveau.",
    toParent: (name) => `Vers ${name}`,
  },

  rights: {
    title: "Ce que signifient les droits",
    sentences: {
      roleManagement: "Créer des rôles en dessous, les renommer, les déplacer et les supprimer.",
      userManagement: "Inviter et retirer des personnes, et voir qui a accès.",
      viewManagement: "Gérer les vues, dans les programmes qui interrogent ce service.",
      deviceManagement: "Ajouter et modifier des appareils, et écrire ce qu’ils mesurent.",
      reportManagement: "Gérer les rapports, dans les programmes qui interrogent ce service.",
      alarmManagement: "Gérer les alarmes, dans les programmes qui interrogent ce service.",
    },
    sees: {
      name: "le voit",
      text:
        "Tout chemin vers un rôle, même sans aucun droit, montre ce rôle, tout ce qui est en dessous, et ce que mesurent ses appareils.",
    },
  },
};
