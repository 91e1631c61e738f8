import type { CHANGE_ROLES as En } from "../en/change_roles.ts";
import { parts } from "../parts.ts";
import { countAll, devices, list, plural, relations, roles } from "./words.ts";

/** What is deleted together with a role: " et 3 rôles et 1 appareil en dessous"; nothing without any. */
const withBelow = countAll(" et # en dessous", roles, devices);

export const CHANGE_ROLES: typeof En = {
  relation: {
    title: (parent, child) => parts`${parent} gère ${child}`,
    now: "Transmet maintenant",
    rights: "Remplacer par",
    unchanged: "Choisissez ce que la relation doit transmettre.",
    delete: "Supprimer plutôt cette relation",
    keep: "Modifier plutôt ses droits",
    deleteTitle: (parent, child) => parts`Supprimer la relation entre ${parent} et ${child}`,
    deleteText: (parent, child) =>
      parts`Les membres de ${parent} et des rôles au-dessus ne voient plus ${child} ni ce qui est en dessous, sauf si un autre chemin y mène.`,
    deleteSubmit: "Supprimer la relation",
    take: (rights) => `Retirer ${list(rights)}`,
    give: (rights) => `Donner ${list(rights)}`,
    change: "Modifier la relation",
    nothing: "Rien ne change pour personne\u202F: personne au-dessus n’a ces droits à transmettre.",
    forbidden: "Vous n’avez pas le droit de modifier cette relation ainsi.",
    changed: "La relation a été modifiée.",
    deleted: "La relation a été supprimée.",
  },

  deletion: {
    title: (role, roleCount, deviceCount) => parts`Supprimer ${role}${withBelow(roleCount, deviceCount)}`,
    done: (role, roleCount, deviceCount) => `Supprimé\u202F: ${role}${withBelow(roleCount, deviceCount)}.`,
    type: (role) => parts`Pour supprimer tout cela, saisissez ${role}.`,
    confirm: "Nom du rôle",
    why: plural("Cela vous est demandé parce que # éléments sont supprimés à la fois."),
    different: "Ce n’est pas le nom du rôle.",
    noParents: "Aucun rôle que vous puissiez voir ne le gère\u202F: vous ne pouvez donc pas le supprimer.",
    parents: (role, n) =>
      parts`${
        relations(n)
      } mènent à ${role}. Il est supprimé avec la dernière. Laquelle faut-il supprimer en premier\u202F?`,
  },

  join: {
    parentTitle: (role) => parts`Un autre rôle qui gère ${role}`,
    childTitle: (role) => parts`Un autre rôle géré par ${role}`,
    rights: "La relation transmet",
    choose: "Choisissez un rôle.",
    same: "Un rôle ne peut pas se gérer lui-même.",
    sees: (parent, child) =>
      parts`Même sans aucun droit, les membres de ${parent} et des rôles au-dessus verront ${child} et tout ce qui est en dessous, ainsi que ce que mesurent les appareils.`,
    exists: "Cette relation existe déjà. Vous modifiez ici ce qu’elle transmet.",
    submit: "Ajouter la relation",
    forbidden:
      "Vous n’avez pas le droit de relier ces rôles\u202F: il faut la gestion des rôles sur celui du dessus et, depuis un rôle au-dessus, sur celui du dessous, par la même appartenance.",
    done: "La relation a été ajoutée.",
  },

  password: {
    title: (role) => parts`Le mot de passe de ${role}`,
    text:
      "Donnez-le, avec le numéro du rôle, aux personnes qui doivent placer le rôle sous l’un des leurs. Elles peuvent se donner au plus les droits ci-dessous.",
    none: "Le rôle n’a pas de mot de passe.",
    isSet: "Il en a un, défini le",
    void:
      "Il ne fonctionne plus, car la personne qui l’a défini ne le pourrait plus. Définissez-en un nouveau.",
    field: "Nouveau mot de passe",
    hint: (n) => `Au moins ${n} caractères`,
    padded: "Un mot de passe ne peut ni commencer ni finir par une espace.",
    rights: "Il donne au plus",
    set: "Définir le mot de passe",
    replace: "Remplacer le mot de passe",
    remove: "Supprimer le mot de passe",
    removeText: "Les relations créées grâce à lui restent.",
    done: "Le mot de passe du rôle a été défini.",
    removed: "Le mot de passe du rôle a été supprimé.",
    forbidden:
      "Vous ne pouvez pas le définir\u202F: il faut la gestion des rôles sur ce rôle, et il donne au plus ce que vous pouvez donner.",
  },

  takeOver: {
    title: (role) => parts`Reprendre un rôle sous ${role}`,
    text: "Les personnes qui gèrent le rôle vous donnent son numéro et son mot de passe.",
    number: "Numéro du rôle",
    numberHint: "Sa page l’indique\u202F: «\u202FRôle 12\u202F»",
    numberFault: "Ce n’est pas le numéro d’un autre rôle.",
    atMost:
      "Au plus ce que donne son mot de passe. Même sans aucun droit, vos membres verront le rôle, ce qui est en dessous, et ce que mesurent ses appareils.",
    submit: "Reprendre le rôle",
    forbidden:
      "Ce ne sont pas le numéro et le mot de passe d’un rôle, ou son mot de passe ne donne pas tous ces droits.",
    done: "Le rôle est maintenant sous le vôtre.",
  },

  move: {
    title: (role) => parts`Déplacer ${role}`,
    from: "Depuis",
    to: "Vers",
    rights: "La nouvelle relation transmet",
    noParents: "Aucun rôle que vous puissiez voir ne le gère\u202F: il ne peut donc pas être déplacé.",
    same: "Il y est déjà.",
    submit: "Déplacer",
    done: "Le rôle a été déplacé.",
  },

  create: {
    title: (role) => parts`Nouveau rôle sous ${role}`,
    nameFault: "Un nom tient sur une ligne, avec 256 caractères au plus.",
    relation: "Ce que le rôle au-dessus peut y faire",
    selfRights: "Ce que ses propres membres peuvent y faire",
    text: (parent) =>
      parts`Personne ne perd rien. Les membres de ${parent}, et des rôles au-dessus dans la limite de leurs droits, obtiennent les droits ci-dessus sur le nouveau rôle. Il n’a pas encore ses propres membres.`,
    submit: "Créer le rôle",
    forbidden:
      "Vous n’avez pas le droit de créer un rôle ici\u202F: il faut la gestion des rôles sur celui du dessus.",
    done: (name) => `${name} a été créé.`,
    doneDemanding: (name) =>
      `${name} a été créé. Il exige de ses membres la même chose que le rôle au-dessus.`,
  },

  edit: {
    title: (role) => parts`Modifier ${role}`,
    externalIdFault: "Un ID tient sur une ligne, avec 128 caractères au plus.",
    selfRights: "Ce que ses propres membres peuvent y faire",
    unchanged: "Choisissez un autre nom ou ID, ou d’autres droits.",
    submit: "Enregistrer",
    forbidden:
      "Vous n’avez pas le droit de modifier ce rôle\u202F: il faut la gestion des rôles depuis un rôle au-dessus.",
    done: "Le rôle a été modifié.",
  },
};
