import type { Texts } from "../en.ts";
import { capped } from "../plural.ts";
import { moreRoles, plural, roles } from "./words.ts";

const below = capped(plural("# [rôle|rôles] en dessous", "rien en dessous"));
const lines = plural("# [ligne|lignes]");
const firstLines = plural("# [première ligne|premières lignes]");

export const ROLE: Texts["role"] = {
  tabs: {
    label: "Parties du rôle",
    about: "Rôle",
    relations: "Relations",
    keys: "Clés",
  },
  subtitle: (id, children) => `Rôle ${id} · ${below(children)}`,
  unseen: (id) => `Rôle ${id}, que vous n’avez pas le droit de voir`,
  change: "Modifier",
  menu: (name) => `Actions sur ${name}`,
  about: {
    passwordHint:
      "D’autres utilisateurs qui le connaissent peuvent placer ce rôle sous l’un des leurs\u202F: un client laisse ainsi entrer un nouvel installateur.",
    passwordSet: "Définir ou supprimer le mot de passe",
    externalId: "ID dans un autre système",
    rights: "Droits sur ce rôle",
    self: "Ses membres",
    selfHint: "Les membres des rôles au-dessus ont ce que les relations transmettent.",
    around: "Autour de lui",
    noParents: "Aucun que vous puissiez voir",
    roles: capped(roles),
    below: "Au total en dessous",
    edit: "Modifier le nom et les droits",
    delete: "Supprimer ce rôle",
  },
  relations: {
    aboveNone: "Aucun rôle que vous puissiez voir ne le gère.",
    belowNone: "Il n’y a aucun rôle en dessous.",
    deeper: "plus bas",
    changeOf: (parent, child) => `Modifier ce que ${parent} peut faire sur ${child}`,
    addParent: "En ajouter un autre",
    move: "Déplacer ailleurs",
    takeOver: "Reprendre avec un mot de passe",
    addChild: "Ajouter un rôle existant",
    create: "Nouveau rôle",
  },
  people: {
    lists: { label: "Quelles personnes", members: "Membres", access: "Qui a accès" },
    membersHint: "Les membres de ce rôle même, et non ceux des rôles au-dessus.",
    accessHint:
      "Les membres de ce rôle et de tous les rôles au-dessus, personnes et programmes, avec ce qu’ils peuvent faire ici.",
    invite: "Inviter une personne",
    inviteMany: "Inviter plusieurs personnes",
    findMember: "Rechercher parmi les membres",
    find: "Rechercher par une partie de l’adresse",
    period: "Sur une période",
    periodHint:
      "Toutes les personnes qui ont eu accès à un moment ou à un autre pendant ces jours, avec tous les droits qu’elles ont eus alors.",
    lastMonth: "Le mois dernier",
    periodFirst: "Choisissez aussi le premier jour.",
    periodFault: "Le dernier jour ne peut pas précéder le premier, ni le premier être dans le futur.",
    noMembers: "Ce rôle n’a pas de membres. On y accède depuis les rôles au-dessus.",
    notMember: "Aucun membre n’a cela dans son adresse.",
    noAccess: "Personne n’a accès.",
    notFound: "Personne ne correspond.",
    until: "Jusqu’au",
    changeOf: (email) => `Modifier l’appartenance de ${email}`,
    leave: "Quitter ce rôle",
    notYours: "Vous n’êtes pas membre de ce rôle même.",
    dormant: "Votre appartenance à ce rôle même est en sommeil.",
    lastMet: "A satisfait pour la dernière fois à ce que le rôle exige\u202F:",
    neverMet: "N’a pas encore satisfait à ce que le rôle exige, pour autant qu’on sache",
    needs:
      "Pour voir qui fait partie d’un rôle, il faut y avoir la gestion des utilisateurs, ou la gestion des rôles depuis un rôle au-dessus.",
    needsAccess:
      "Pour voir qui a accès à un rôle, il faut y avoir la gestion des utilisateurs, ou la gestion des rôles depuis un rôle au-dessus.",
    anyRight: "N’importe lequel",
    hasLeft: "N’a plus accès",
    direct: "Membre",
    through: "Via",
    hidden: plural("# [rôle|rôles] que vous ne pouvez pas voir"),
    others: moreRoles,
    deleted: "Compte supprimé",
    key: (name) => ["Clé\u202F: ", name],
    whyOf: (name) => `Pourquoi\u202F? L’accès de ${name}`,
    draw: "Dans le schéma",
    drawOf: (name) => `Dans le schéma\u202F: les droits de ${name}`,
  },
  file: {
    save: "Enregistrer en CSV",
    saving: plural("Lecture… # [ligne|lignes] jusqu’ici", "Lecture…"),
    saved: (name, n) => `Enregistré sous ${name}, avec ${lines(n)}.`,
    savedPart: (name, n) => `Enregistré sous ${name}, avec les ${firstLines(n)}. Il y en a d’autres.`,
  },
  keys: {
    hint: "Avec une clé, un programme agit comme membre de ce rôle, sans le mot de passe de personne.",
    needs:
      "Pour voir les clés d’un rôle, il faut y avoir la gestion des utilisateurs, ou la gestion des rôles depuis un rôle au-dessus.",
    none: "Ce rôle n’a pas de clés.",
    create: "Nouvelle clé",
    nameHint: "Ce qui l’utilise. Ce nom figure dans le journal et dans les listes d’accès.",
    nameFault: "La clé doit avoir un nom, de 256 caractères au plus.",
    rights: "Ce qu’elle peut faire au plus",
    rightsHint:
      "Sur ce rôle, elle n’a jamais plus que les membres du rôle, et en dessous jamais plus que ce que les relations transmettent. Même sans aucun droit, elle voit les rôles et lit ce que mesurent leurs appareils.",
    days: {
      7: "dans une semaine",
      30: "dans 30 jours",
      90: "dans 90 jours au plus tard",
      365: "dans un an",
    },
    asks: "Peut demander qui a accès et ce qui a changé, pour un service qui décide pour d’autres",
    provisions:
      "Avec la gestion des utilisateurs\u202F: peut ajouter des personnes, dans la mesure où la personne qui l’a créée le pourrait",
    submit: "Créer la clé",
    refused: "Une clé ne peut ni avoir plus de droits ni durer plus longtemps que votre propre appartenance.",
    doubtful:
      "La connexion a été perdue, et la clé a peut-être été créée malgré tout. Regardez la liste des clés avant de réessayer.",
    full: "Le rôle a déjà 100 clés. Supprimez-en une qui ne sert plus.",
    secretTitle: "Le secret de la nouvelle clé",
    secretText:
      "Donnez-le maintenant au programme. Il n’est affiché que cette fois\u202F: s’il se perd, supprimez la clé et créez-en une autre.",
    ineffective: (rights) =>
      `Sans effet pour l’instant\u202F: ${rights}. Ni le rôle lui-même ni une relation en dessous ne les a.`,
    tryTitle: "Essayer",
    tryText: "Avec cette commande dans un terminal, la clé liste les premiers rôles qu’elle voit.",
    copyCommand: "Copier la commande",
    adopt: "Reprendre",
    adoptOf: (name) => `Reprendre la clé ${name}`,
    adoptTitle: "Reprendre cette clé\u202F?",
    adoptText:
      "Elle compte alors comme créée par vous. Elle reçoit un nouveau secret, affiché une seule fois\u202F; l’ancien cesse aussitôt, et le programme a besoin du nouveau.",
    adoptSubmit: "Reprendre la clé",
    adoptRefused:
      "Il vous faut vous-même les droits de la clé, et une appartenance qui ne prend pas fin avant elle.",
    makerLeft:
      "La personne qui l’a créée n’a plus accès à ce rôle\u202F: la clé ne transmet plus rien à d’autres. Reprenez-la ou supprimez-la.",
    noMaker:
      "Vous ne voyez pas qui l’a créée\u202F: une personne agissant par un rôle au-dessus que vous ne voyez pas, l’administration, ou un compte supprimé. Reprenez-la si vous en répondez.",
    secretDone: "Je l’ai conservé",
    used: "Dernière utilisation",
    unused: "Jamais utilisée",
    madeBy: "Créée par",
    mayAsk: "Peut demander qui a accès",
    mayProvision: "Peut ajouter des personnes",
    delete: "Supprimer",
    deleteOf: (name) => `Supprimer la clé ${name}`,
    deleteTitle: "Supprimer cette clé\u202F?",
    deleteText: "Le programme qui l’utilise perd aussitôt son accès. Cette suppression est définitive.",
    deleteSubmit: "Supprimer la clé",
    deleted: "La clé est supprimée.",
  },
  changes: {
    needs:
      "Pour voir toutes les modifications d’un rôle, il faut y avoir la gestion des utilisateurs, ou la gestion des rôles depuis un rôle au-dessus.",
  },
};
