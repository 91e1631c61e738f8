import type { Isolated } from "../isolated.ts";
import { count, countAll, MEMBERSHIPS, type Parts, ROLES } from "./change_words.ts";

export const CHANGE_PEOPLE = {
  member: {
    inviteTitle: <T>(role: T): Parts<T> => ["Inviter une personne dans ", role],
    title: <T>(person: T, role: T): Parts<T> => [person, " dans ", role],
    leaveTitle: <T>(role: T): Parts<T> => ["Quitter ", role],
    removeTitle: <T>(person: T, role: T): Parts<T> => ["Retirer ", person, " de ", role],
    email: "Adresse e-mail",
    mailLanguage: "Langue de l’e-mail",
    emailHint: "L’adresse entière. Une personne inconnue reçoit un lien.",
    emailFault: "Ce n’est pas une adresse e-mail.",
    missing: "Indiquez l’adresse de la personne.",
    until: "Fin",
    untilHint: (zone: string): string =>
      `Dans votre fuseau horaire, ${zone}. Vide\u202F: pas de fin automatique.`,
    choices: {
      tomorrow: "Jusqu’à demain",
      friday: "Jusqu’à vendredi",
      week: "Une semaine",
      month: "Un mois",
      forGood: "Sans date de fin",
    },
    past: "Cette date est passée.",
    incomplete: "Indiquez la date et l’heure.",
    tooLate: (time: string): string =>
      `Votre propre appartenance se termine le ${time}, et ce que vous donnez ne dure pas au-delà.`,
    extent: "Droits",
    all: "Tous ceux du rôle",
    some: "Une partie seulement",
    rights: "Au plus",
    exists: "Cette personne est déjà membre. Son appartenance prend la fin et les droits indiqués ici.",
    unchanged: "Choisissez une autre fin, ou d’autres droits.",
    remove: "Retirer plutôt cette personne",
    leave: "Quitter plutôt ce rôle",
    keep: "Modifier plutôt l’appartenance",
    invite: "Inviter",
    change: "Modifier l’appartenance",
    removeSubmit: "Retirer du rôle",
    leaveSubmit: "Quitter le rôle",
    working: "Enregistrement…",
    sees: <T>(person: T, role: T): Parts<T> => [
      "Même sans aucun droit, ",
      person,
      " verra ",
      role,
      " et tout ce qui est en dessous.",
    ],
    seesUntil: <T>(person: T, role: T, time: T): Parts<T> => [
      "Même sans aucun droit, ",
      person,
      " verra ",
      role,
      " et tout ce qui est en dessous, jusqu’au ",
      time,
      ".",
    ],
    ends: <T>(time: T): Parts<T> => ["L’appartenance se termine d’elle-même le ", time, "."],
    endless: "L’appartenance ne se termine plus d’elle-même.",
    nothing: "Personne ne gagne ni ne perd de droit pour l’instant.",
    forbidden:
      "Vous n’avez pas le droit de faire cela\u202F: il faut la gestion des utilisateurs sur le rôle, et personne ne donne plus de droits que les siens, ni pour plus longtemps.",
    invited: "Personne invitée. Un e-mail est en route.",
    changed: "L’appartenance a été modifiée.",
    left: "Vous n’êtes plus membre.",
    removed: "Cette personne n’est plus membre.",
  },

  many: {
    title: <T>(role: T): Parts<T> => ["Inviter plusieurs personnes dans ", role],
    addresses: "Adresses e-mail",
    hint:
      "Des adresses entières, une par ligne, ou séparées par des virgules. Un tableau avec un en-tête peut avoir les colonnes email, until et rights.",
    file: "Choisir un fichier CSV",
    tooLarge: "Le fichier est trop grand\u202F: 100 ko au plus.",
    tooMany: (found: number, most: number): string =>
      `Il y a ${found} adresses. On en invite ${most} au plus à la fois.`,
    missing: "Indiquez les adresses des personnes.",
    allMembers: "Toutes sont déjà membres, et le restent telles quelles.",
    faults: (n: number): string =>
      `${count(n, { one: "ligne est illisible", other: "lignes sont illisibles" })}\u202F:`,
    fault: {
      address: (line: number, text: Isolated): string =>
        `Ligne ${line}\u202F: «\u202F${text}\u202F» n’est pas une adresse e-mail.`,
      twice: (line: number, text: Isolated): string =>
        `Ligne ${line}\u202F: «\u202F${text}\u202F» y figurait déjà.`,
      until: (line: number, text: Isolated): string =>
        `Ligne ${line}\u202F: «\u202F${text}\u202F» n’est pas une fin. Écrivez 2027-01-31 ou 2027-01-31T12:00Z.`,
      rights: (line: number, text: Isolated): string =>
        `Ligne ${line}\u202F: «\u202F${text}\u202F» n’est pas une liste de droits. Écrivez all, none ou viewManagement|alarmManagement.`,
    },
    members: (first: readonly Isolated[], n: number): string =>
      `${
        count(n, {
          one: "personne est déjà membre, et le reste telle quelle",
          other: "personnes sont déjà membres, et le restent telles quelles",
        })
      }\u202F: ${first.join(", ")}${n > first.length ? ", …" : "."}`,
    shownFor: <T>(person: T): Parts<T> => ["L’effet est affiché pour la première personne, ", person, "."],
    submit: (n: number): string =>
      n === 0 ? "Inviter" : `Inviter ${count(n, { one: "personne", other: "personnes" })}`,
    working: (taken: number, n: number): string => `${taken} sur ${n}…`,
    stop: "Arrêter",
    done: (n: number): string =>
      `${count(n, { one: "personne a été invitée", other: "personnes ont été invitées" })}.`,
  },

  end: {
    offer: "Mettre plutôt fin à tous ses accès à ce rôle et en dessous",
    title: <T>(person: T, role: T): Parts<T> => ["Mettre fin aux accès de ", person, " à partir de ", role],
    granted:
      "Mettre fin aussi à ce que cette personne y a donné à d’autres, et à ce que ces personnes ont donné",
    ends: (members: number, keys: number, passwords: number): string =>
      `Cela met fin à ${
        countAll(
          [members, MEMBERSHIPS],
          [keys, { one: "clé", other: "clés" }],
          [passwords, { one: "mot de passe de rôle", other: "mots de passe de rôles" }],
        )
      }.`,
    none: "Il n’y a rien là à quoi vous puissiez mettre fin.",
    inTrash: "Dans un rôle supprimé\u202F: le rétablir ne fait pas revenir cela",
    password: "Mot de passe du rôle",
    left: (n: number, more: boolean): string =>
      `La personne y garde l’accès à ${count(n, ROLES, more)}, par exemple par une appartenance au-dessus.`,
    leftNone:
      "Il n’y reste aucun accès aux rôles dont vous gérez les personnes. Si une suppression est défaite plus tard, cette personne ne revient pas.",
    relations: "Les relations que la personne a créées restent. Regardez-les une par une\u202F:",
    moreRelations: "Il peut y en avoir d’autres.",
    submit: "Mettre fin aux accès",
    working: "Un instant…",
    keep: "Retirer seulement cette personne du rôle",
    tooMuch:
      "Ce serait trop à la fois. Mettez d’abord fin aux accès à des rôles plus bas, ou d’abord sans ce que la personne a donné.",
    done: "Il a été mis fin aux accès.",
  },
};
