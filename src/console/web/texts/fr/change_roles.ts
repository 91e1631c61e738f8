import type { RightName } from "../../../../graph/rights.ts";
import { count, deletedNodes, list, type Parts } from "./change_words.ts";

/** What is deleted together with a role: " et 3 rôles et 1 appareil en dessous"; nothing without any. */
function withBelow(roleCount: number, deviceCount: number): string {
  return roleCount + deviceCount === 0 ? "" : ` et ${deletedNodes(roleCount, deviceCount)} en dessous`;
}

export const CHANGE_ROLES = {
  relation: {
    title: <T>(parent: T, child: T): Parts<T> => [parent, " gère ", child],
    now: "Transmet maintenant",
    rights: "Remplacer par",
    unchanged: "Choisissez ce que la relation doit transmettre.",
    delete: "Supprimer plutôt cette relation",
    keep: "Modifier plutôt ses droits",
    deleteTitle: <T>(parent: T, child: T): Parts<T> => [
      "Supprimer la relation entre ",
      parent,
      " et ",
      child,
    ],
    deleteText: <T>(parent: T, child: T): Parts<T> => [
      "Les membres de ",
      parent,
      " et des rôles au-dessus ne voient plus ",
      child,
      " ni ce qui est en dessous, sauf si un autre chemin y mène.",
    ],
    deleteNothing: "Personne ne gagne ni ne perd de droit.",
    deleteSubmit: "Supprimer la relation",
    take: (rights: readonly RightName[]): string => `Retirer ${list(rights)}`,
    give: (rights: readonly RightName[]): string => `Donner ${list(rights)}`,
    change: "Modifier la relation",
    working: "Modification…",
    nothing: "Rien ne change pour personne\u202F: personne au-dessus n’a ces droits à transmettre.",
    forbidden: "Vous n’avez pas le droit de modifier cette relation ainsi.",
    changed: "La relation a été modifiée.",
    deleted: "La relation a été supprimée.",
  },

  deletion: {
    title: <T>(role: T, roleCount: number, deviceCount: number): Parts<T> => [
      "Supprimer ",
      role,
      withBelow(roleCount, deviceCount),
    ],
    done: (role: string, roleCount: number, deviceCount: number): string =>
      `Supprimé\u202F: ${role}${withBelow(roleCount, deviceCount)}.`,
    type: <T>(role: T): Parts<T> => ["Pour supprimer tout cela, saisissez ", role, "."],
    confirm: "Nom du rôle",
    why: (n: number): string =>
      `Cela vous est demandé parce que ${count(n, { other: "éléments" })} sont supprimés à la fois.`,
    different: "Ce n’est pas le nom du rôle.",
    noParents: "Aucun rôle que vous puissiez voir ne le gère\u202F: vous ne pouvez donc pas le supprimer.",
    parents: <T>(role: T, n: number): Parts<T> => [
      `${count(n, { other: "relations" })} mènent à `,
      role,
      ". Il est supprimé avec la dernière. Laquelle faut-il supprimer en premier\u202F?",
    ],
  },

  join: {
    parentTitle: <T>(role: T): Parts<T> => ["Un autre rôle qui gère ", role],
    childTitle: <T>(role: T): Parts<T> => ["Un autre rôle géré par ", role],
    parent: "Géré par",
    child: "Gère",
    rights: "La relation transmet",
    choose: "Choisissez un rôle.",
    same: "Un rôle ne peut pas se gérer lui-même.",
    sees: <T>(parent: T, child: T): Parts<T> => [
      "Même sans aucun droit, les membres de ",
      parent,
      " et des rôles au-dessus verront ",
      child,
      " et tout ce qui est en dessous, ainsi que ce que mesurent les appareils.",
    ],
    exists: "Cette relation existe déjà. Vous modifiez ici ce qu’elle transmet.",
    submit: "Ajouter la relation",
    change: "Modifier la relation",
    working: "Ajout…",
    nothing: "Personne ne gagne ni ne perd de droit.",
    forbidden:
      "Vous n’avez pas le droit de relier ces rôles\u202F: il faut la gestion des rôles sur celui du dessus et, depuis un rôle au-dessus, sur celui du dessous, par la même appartenance.",
    done: "La relation a été ajoutée.",
  },

  password: {
    title: <T>(role: T): Parts<T> => ["Le mot de passe de ", role],
    text:
      "Donnez-le, avec le numéro du rôle, aux personnes qui doivent placer le rôle sous l’un des leurs. Elles peuvent se donner au plus les droits ci-dessous.",
    none: "Le rôle n’a pas de mot de passe.",
    isSet: "Il en a un, défini le",
    void:
      "Il ne fonctionne plus, car la personne qui l’a défini ne le pourrait plus. Définissez-en un nouveau.",
    field: "Nouveau mot de passe",
    hint: (n: number): string => `Au moins ${n} caractères`,
    padded: "Un mot de passe ne peut ni commencer ni finir par une espace.",
    rights: "Il donne au plus",
    set: "Définir le mot de passe",
    replace: "Remplacer le mot de passe",
    working: "Enregistrement…",
    remove: "Supprimer le mot de passe",
    removeText: "Les relations créées grâce à lui restent.",
    done: "Le mot de passe du rôle a été défini.",
    removed: "Le mot de passe du rôle a été supprimé.",
    forbidden:
      "Vous ne pouvez pas le définir\u202F: il faut la gestion des rôles sur ce rôle, et il donne au plus ce que vous pouvez donner.",
  },

  takeOver: {
    title: <T>(role: T): Parts<T> => ["Reprendre un rôle sous ", role],
    text: "Les personnes qui gèrent le rôle vous donnent son numéro et son mot de passe.",
    number: "Numéro du rôle",
    numberHint: "Sa page l’indique\u202F: «\u202FRôle 12\u202F»",
    numberFault: "Ce n’est pas le numéro d’un autre rôle.",
    password: "Mot de passe du rôle",
    rights: "La relation transmet",
    atMost:
      "Au plus ce que donne son mot de passe. Même sans aucun droit, vos membres verront le rôle, ce qui est en dessous, et ce que mesurent ses appareils.",
    submit: "Reprendre le rôle",
    working: "Reprise…",
    forbidden:
      "Ce ne sont pas le numéro et le mot de passe d’un rôle, ou son mot de passe ne donne pas tous ces droits.",
    done: "Le rôle est maintenant sous le vôtre.",
  },

  move: {
    title: <T>(role: T): Parts<T> => ["Déplacer ", role],
    from: "Depuis",
    to: "Vers",
    rights: "La nouvelle relation transmet",
    noParents: "Aucun rôle que vous puissiez voir ne le gère\u202F: il ne peut donc pas être déplacé.",
    same: "Il y est déjà.",
    submit: "Déplacer",
    working: "Déplacement…",
    nothing: "Personne ne gagne ni ne perd de droit.",
    done: "Le rôle a été déplacé.",
  },

  create: {
    title: <T>(role: T): Parts<T> => ["Nouveau rôle sous ", role],
    name: "Nom",
    nameFault: "Un nom tient sur une ligne, avec 256 caractères au plus.",
    relation: "Ce que le rôle au-dessus peut y faire",
    selfRights: "Ce que ses propres membres peuvent y faire",
    text: <T>(parent: T): Parts<T> => [
      "Personne ne perd rien. Les membres de ",
      parent,
      ", et des rôles au-dessus dans la limite de leurs droits, gagnent les droits ci-dessus sur le nouveau rôle. Il n’a pas encore ses propres membres.",
    ],
    submit: "Créer le rôle",
    working: "Création…",
    forbidden:
      "Vous n’avez pas le droit de créer un rôle ici\u202F: il faut la gestion des rôles sur celui du dessus.",
    done: (name: string): string => `${name} a été créé.`,
    doneDemanding: (name: string): string =>
      `${name} a été créé. Il exige de ses membres la même chose que le rôle au-dessus.`,
  },

  edit: {
    title: <T>(role: T): Parts<T> => ["Modifier ", role],
    name: "Nom",
    externalIdFault: "Un ID tient sur une ligne, avec 128 caractères au plus.",
    selfRights: "Ce que ses propres membres peuvent y faire",
    unchanged: "Choisissez un autre nom ou ID, ou d’autres droits.",
    submit: "Enregistrer",
    working: "Enregistrement…",
    nothing: "Personne ne gagne ni ne perd de droit.",
    forbidden:
      "Vous n’avez pas le droit de modifier ce rôle\u202F: il faut la gestion des rôles depuis un rôle au-dessus.",
    done: "Le rôle a été modifié.",
  },
};
