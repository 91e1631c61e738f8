import type { CHANGE_PEOPLE as En } from "../en/change_people.ts";
import { parts } from "../parts.ts";
import { withFirst } from "../plural.ts";
import { countAll, memberships, plural, roles } from "./words.ts";

export const CHANGE_PEOPLE: typeof En = {
  member: {
    inviteTitle: (role) => parts`Inviter une personne dans ${role}`,
    title: (person, role) => parts`${person} dans ${role}`,
    leaveTitle: (role) => parts`Quitter ${role}`,
    removeTitle: (person, role) => parts`Retirer ${person} de ${role}`,
    mailLanguage: "Langue de l’e-mail",
    emailHint: "L’adresse entière. Une nouvelle personne reçoit un lien.",
    missing: "Indiquez l’adresse de la personne.",
    untilHint: (zone) => `Dans votre fuseau horaire, ${zone}. Vide\u202F: pas de fin automatique.`,
    choices: {
      tomorrow: "Jusqu’à demain",
      friday: "Jusqu’à vendredi",
      week: "Une semaine",
      month: "Un mois",
      forGood: "Sans date de fin",
    },
    past: "Cette date est passée.",
    incomplete: "Indiquez la date et l’heure.",
    tooLate: (time) =>
      `Votre propre appartenance se termine le ${time}, et ce que vous donnez ne dure pas au-delà.`,
    extent: "Droits",
    all: "Tous ceux du rôle",
    some: "Une partie seulement",
    exists: "Cette personne est déjà membre. Son appartenance prend la fin et les droits indiqués ici.",
    unchanged: "Choisissez une autre fin, ou d’autres droits.",
    remove: "Retirer plutôt cette personne",
    leave: "Quitter plutôt ce rôle",
    keep: "Modifier plutôt l’appartenance",
    invite: "Inviter",
    change: "Modifier l’appartenance",
    removeSubmit: "Retirer du rôle",
    leaveSubmit: "Quitter le rôle",
    sees: (person, role) =>
      parts`Même sans aucun droit, ${person} verra ${role} et tout ce qui est en dessous.`,
    seesUntil: (person, role, time) =>
      parts`Même sans aucun droit, ${person} verra ${role} et tout ce qui est en dessous, jusqu’au ${time}.`,
    ends: (time) => parts`L’appartenance se termine d’elle-même le ${time}.`,
    endless: "L’appartenance ne se termine plus d’elle-même.",
    nothing: "Personne n’obtient ni ne perd de droit pour l’instant.",
    forbidden:
      "Vous n’avez pas le droit de faire cela\u202F: il faut la gestion des utilisateurs sur le rôle, et personne ne donne plus de droits que les siens, ni pour plus longtemps.",
    invited: "Personne invitée. Un e-mail est en route.",
    changed: "L’appartenance a été modifiée.",
    left: "Vous n’êtes plus membre.",
    removed: "Cette personne n’est plus membre.",
  },

  many: {
    title: (role) => parts`Inviter plusieurs personnes dans ${role}`,
    addresses: "Adresses e-mail",
    hint:
      "Des adresses entières, une par ligne, ou séparées par des virgules. Un tableau avec un en-tête peut avoir les colonnes email, until et rights.",
    file: "Choisir un fichier CSV",
    tooLarge: "Le fichier est trop grand\u202F: 100 ko au plus.",
    tooMany: (found, most) => `Il y a ${found} adresses. On en invite ${most} au plus à la fois.`,
    missing: "Indiquez les adresses des personnes.",
    correct: "Corrigez les lignes ci-dessus.",
    allMembers: "Toutes sont déjà membres, et le restent telles quelles.",
    faults: plural("# [ligne est illisible|lignes sont illisibles]\u202F:"),
    fault: {
      address: (line, text) => `Ligne ${line}\u202F: «\u202F${text}\u202F» n’est pas une adresse e-mail.`,
      twice: (line, text) =>
        `Ligne ${line}\u202F: «\u202F${text}\u202F» y figurait déjà, avec une autre fin ou d’autres droits.`,
      until: (line, text) =>
        `Ligne ${line}\u202F: «\u202F${text}\u202F» n’est pas une fin. Écrivez 2027-01-31 ou 2027-01-31T12:00Z.`,
      past: (line, text) => `Ligne ${line}\u202F: «\u202F${text}\u202F» est dans le passé.`,
      rights: (line, text) =>
        `Ligne ${line}\u202F: «\u202F${text}\u202F» n’est pas une liste de droits. Écrivez all, none ou viewManagement|alarmManagement.`,
    },
    members: withFirst(
      plural(
        "# [personne est déjà membre, et le reste telle quelle|personnes sont déjà membres, et le restent telles quelles]\u202F:",
      ),
    ),
    shownFor: (person) => parts`L’effet est affiché pour la première personne, ${person}.`,
    submit: plural("Inviter # [personne|personnes]", "Inviter"),
    working: (taken, n) => `${taken} sur ${n}…`,
    stop: "Arrêter",
    done: plural("# [personne a été invitée|personnes ont été invitées]."),
  },

  end: {
    offer: "Mettre plutôt fin à tous ses accès à ce rôle et en dessous",
    title: (person, role) => parts`Mettre fin aux accès de ${person} à partir de ${role}`,
    granted:
      "Mettre fin aussi à ce que cette personne y a donné à d’autres, et à ce que ces personnes ont donné",
    ends: countAll(
      "Cela met fin à #.",
      memberships,
      plural("# [clé|clés]"),
      plural("# [mot|mots] de passe de [rôle|rôles]"),
    ),
    none: "Il n’y a rien là à quoi vous puissiez mettre fin.",
    inTrash: "Dans un rôle supprimé\u202F: le restaurer ne fait pas revenir cela",
    left: (n, more) =>
      `La personne y garde l’accès à ${roles(n, more)}, par exemple par une appartenance au-dessus.`,
    leftNone:
      "Il n’y reste aucun accès aux rôles dont vous gérez les personnes. Si une suppression est annulée plus tard, cette personne ne revient pas.",
    relations: "Les relations que la personne a créées restent. Regardez-les une par une\u202F:",
    moreRelations: "Il peut y en avoir d’autres.",
    submit: "Mettre fin aux accès",
    keep: "Retirer seulement cette personne du rôle",
    tooMuch:
      "Ce serait trop à la fois. Mettez d’abord fin aux accès à des rôles plus bas, ou d’abord sans ce que la personne a donné.",
    done: "Les accès ont pris fin.",
  },
};
