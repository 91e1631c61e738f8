import type { Decision, Kind, Subject } from "../../views/changes/kinds.ts";
import type { ChangeSentence } from "../en/changes.ts";
import { countAllIn, countIn } from "../plural.ts";

const count = countIn("fr");
const countAll = countAllIn("fr");

// No "à" or "de" before a name: it may begin with "le" or "un".
const DONE: Readonly<Record<Subject, ChangeSentence>> = {
  "role.create": ({ who, role, parent }) => [who, " a créé ", role, " sous ", parent],
  "role.update": ({ who, role }) => [who, " a modifié ", role],
  "role.rename": ({ who, role, oldName }) => [who, " a renommé ", oldName, " en ", role],
  "role.delete": ({ who, role, parent }) => [who, " a supprimé ", role, ", qui était sous ", parent],
  "role.password_set": ({ who, role }) => [who, " a défini un mot de passe sur ", role],
  "role.password_removed": ({ who, role }) => [who, " a retiré le mot de passe défini sur ", role],
  "role.authentication_policy": (
    { who, role },
  ) => [who, " a changé ce qui est exigé des membres dans ", role],
  "role.bootstrap": ({ who, role }) => [role, " a été mis en place avec ", who, " comme premier membre"],
  "manages.put": ({ who, role, parent }) => [who, " a placé ", role, " sous ", parent],
  "manages.update": (
    { who, role, parent },
  ) => [who, " a modifié la relation entre ", parent, " et ", role],
  "manages.move": ({ who, role, parent }) => [who, " a déplacé ", role, " sous ", parent],
  "manages.delete": ({ who, role, parent }) => [who, " a détaché ", role, ", qui était sous ", parent],
  "member.add": ({ who, role, member }) => [who, " a ajouté ", member, " dans ", role],
  "member.update": (
    { who, role, member },
  ) => [who, " a modifié ce que ", member, " peut faire en tant que membre dans ", role],
  "member.time": (
    { who, role, member },
  ) => [who, " a modifié la durée d’appartenance de ", member, " dans ", role],
  "member.remove": (
    { who, role, member },
  ) => [who, " a mis fin à l’appartenance de ", member, " dans ", role],
  "member.leave": ({ role, member }) => [member, " a quitté ", role],
  "member.invite": ({ who, role, member }) => [who, " a renvoyé l’invitation de ", member, " pour ", role],
  "member.end": (
    { role, member },
  ) => ["L’appartenance de ", member, " dans ", role, " est arrivée à son terme"],
  "key.create": ({ who, role, key }) => [who, " a créé la ", key, " pour ", role],
  "key.adopt": ({ who, role, key }) => [who, " a repris la ", key, " pour ", role],
  "key.delete": ({ who, role, key }) => [who, " a supprimé la ", key, " pour ", role],
  "key.end": ({ role, key }) => ["La ", key, " pour ", role, " est arrivée à son terme"],
  "access.end": (
    { who, role, member },
  ) => [who, " a mis fin aux accès de ", member, " dans ", role, " et en dessous"],
  "device.create": ({ who, role, device }) => [who, " a ajouté ", device, " dans ", role],
  "monitors.add": ({ who, role, device }) => [who, " a rendu ", device, " visible pour ", role],
  "monitors.end": (
    { who, role, device },
  ) => [who, " a mis fin à la période pendant laquelle ", role, " voit ", device],
  "monitors.update": (
    { who, role, device },
  ) => [who, " a changé la période pendant laquelle ", role, " voit ", device],
  "device.transfer": ({ who, role, device }) => [who, " a transmis ", device, " vers ", role],
  "monitors.remove": ({ who, role, device }) => [who, " a détaché ", device, ", surveillé par ", role],
  "manages.restore": ({ who, role, parent }) => [who, " a rétabli ", role, " sous ", parent],
  "device.restore": ({ who, role, device }) => [who, " a rétabli ", device, " dans ", role],
  "device.forget": ({ who }) => [who, " a supprimé définitivement des appareils qui pouvaient être rétablis"],
  "hierarchy.import": ({ role }) => ["Une hiérarchie a été importée sous ", role],
};

const TRIED: Readonly<Record<Kind, ChangeSentence>> = {
  "role.create": ({ who, parent }) => [who, " a tenté de créer un rôle sous ", parent],
  "role.update": ({ who, role }) => [who, " a tenté de modifier ", role],
  "role.password_set": ({ who, role }) => [who, " a tenté de définir un mot de passe sur ", role],
  "role.password_removed": ({ who, role }) => [who, " a tenté de retirer le mot de passe défini sur ", role],
  "role.authentication_policy": (
    { who, role },
  ) => [who, " a tenté de changer ce qui est exigé des membres dans ", role],
  "role.bootstrap": ({ role }) => ["Impossible de mettre en place ", role],
  "manages.put": ({ who, role, parent }) => [who, " a tenté de placer ", role, " sous ", parent],
  "manages.update": (
    { who, role, parent },
  ) => [who, " a tenté de modifier la relation entre ", parent, " et ", role],
  "manages.move": ({ who, role, parent }) => [who, " a tenté de déplacer ", role, " sous ", parent],
  "manages.delete": (
    { who, role, parent },
  ) => [who, " a tenté de détacher ", role, ", placé sous ", parent],
  "member.add": ({ who, role, member }) => [who, " a tenté d’ajouter ", member, " comme membre dans ", role],
  "member.update": (
    { who, role, member },
  ) => [who, " a tenté de modifier l’appartenance de ", member, " dans ", role],
  "member.remove": (
    { who, role, member },
  ) => [who, " a tenté de mettre fin à l’appartenance de ", member, " dans ", role],
  "member.leave": ({ role, member }) => [member, " a tenté de quitter ", role],
  "member.invite": (
    { who, role, member },
  ) => [who, " a tenté de renvoyer l’invitation de ", member, " pour ", role],
  "member.end": (
    { role, member },
  ) => ["L’appartenance de ", member, " dans ", role, " n’a pas pu être terminée"],
  "key.create": ({ who, role }) => [who, " a tenté de créer une clé pour ", role],
  "key.adopt": ({ who, role, key }) => [who, " a tenté de reprendre la ", key, " pour ", role],
  "key.delete": ({ who, role, key }) => [who, " a tenté de supprimer la ", key, " pour ", role],
  "key.end": ({ role, key }) => ["La ", key, " pour ", role, " n’a pas pu être terminée"],
  "access.end": ({ who, role }) => [who, " a tenté de mettre fin à des accès dans ", role, " et en dessous"],
  "device.create": ({ who, role }) => [who, " a tenté d’ajouter un appareil dans ", role],
  "monitors.add": ({ who, role, device }) => [who, " a tenté de rendre ", device, " visible pour ", role],
  "monitors.end": (
    { who, role, device },
  ) => [who, " a tenté de mettre fin à la période pendant laquelle ", role, " voit ", device],
  "monitors.update": (
    { who, role, device },
  ) => [who, " a tenté de changer la période pendant laquelle ", role, " voit ", device],
  "device.transfer": ({ who, role, device }) => [who, " a tenté de transmettre ", device, " vers ", role],
  "monitors.remove": (
    { who, role, device },
  ) => [who, " a tenté de détacher ", device, ", surveillé par ", role],
  "manages.restore": ({ who, role, parent }) => [who, " a tenté de rétablir ", role, " sous ", parent],
  "device.restore": ({ who, role, device }) => [who, " a tenté de rétablir ", device, " dans ", role],
  "device.forget": ({ who }) => [who, " a tenté de supprimer définitivement des appareils"],
  "hierarchy.import": ({ role }) => ["Impossible d’importer une hiérarchie sous ", role],
};

const KINDS: Readonly<Record<Kind, string>> = {
  "role.create": "Rôle créé",
  "role.update": "Rôle modifié",
  "role.password_set": "Mot de passe d’un rôle défini",
  "role.password_removed": "Mot de passe d’un rôle retiré",
  "role.authentication_policy": "Exigence d’un rôle changée",
  "role.bootstrap": "Premier rôle mis en place",
  "manages.put": "Rôle géré par un autre",
  "manages.update": "Relation modifiée",
  "manages.move": "Rôle déplacé",
  "manages.delete": "Rôle retiré ou supprimé",
  "member.add": "Membre ajouté",
  "member.update": "Appartenance modifiée",
  "member.remove": "Membre retiré",
  "member.leave": "Départ d’un membre",
  "member.invite": "Invitation renvoyée",
  "member.end": "Appartenance arrivée à son terme",
  "key.create": "Clé créée",
  "key.adopt": "Clé reprise",
  "key.delete": "Clé supprimée",
  "key.end": "Clé arrivée à son terme",
  "access.end": "Accès terminés",
  "device.create": "Appareil ajouté",
  "monitors.add": "Appareil montré à un rôle",
  "monitors.update": "Période d’un appareil changée",
  "device.transfer": "Appareil transmis",
  "monitors.end": "Période d’un appareil terminée",
  "monitors.remove": "Appareil retiré",
  "manages.restore": "Rôle rétabli",
  "device.restore": "Appareil rétabli",
  "device.forget": "Appareils supprimés définitivement",
  "hierarchy.import": "Hiérarchie importée",
};

const DECISIONS: Readonly<Record<Decision, string>> = {
  ok: "Fait",
  noop: "C’était déjà le cas",
  proof_required: "Refusé\u202F: l’identité n’avait pas été confirmée à l’instant",
  denied: "Refusé\u202F: droits insuffisants",
  needs_step_up: "Refusé\u202F: la session n’avait pas montré la seconde étape nécessaire",
  cycle: "Refusé\u202F: des rôles se géreraient en cercle",
  unmanaged: "Refusé\u202F: plus personne ne pourrait gérer le rôle",
  root_without_member: "Refusé\u202F: le rôle au sommet n’aurait plus de membre",
  root_without_manager: "Refusé\u202F: plus personne ne pourrait gérer le rôle au sommet",
  root_without_awake: "Refusé\u202F: personne avec cette seconde étape ne pourrait gérer le rôle au sommet",
  node_id_taken: "Refusé\u202F: un autre appareil porte déjà ce Node ID",
  external_id_taken: "Refusé\u202F: cet ID externe est déjà attribué",
  too_many_invitations: "Refusé\u202F: trop d’invitations",
  too_many_additions: "Refusé\u202F: trop de membres ajoutés par des clés",
  too_many_role_passwords: "Refusé\u202F: trop de tentatives de mot de passe",
  too_many_keys: "Refusé\u202F: le rôle a déjà autant de clés que possible",
  too_many_monitors: "Refusé\u202F: l’appareil est déjà visible pour autant de rôles que possible",
  period_outside: "Refusé\u202F: la période n’est pas comprise dans celle de qui la donne",
  period_begins_earlier: "Refusé\u202F: la période ne peut pas commencer plus tôt qu’avant",
  period_empty: "Refusé\u202F: la période ne finit pas après son début",
  cannot_end: "Refusé\u202F: d’autres voient l’appareil, et cette personne ne peut pas y mettre fin",
  too_large: "Refusé\u202F: trop de choses changeraient à la fois",
  too_much_to_end: "Refusé\u202F: trop de choses prendraient fin à la fois",
  moved: "Non fait\u202F: autre chose a changé en même temps",
  key_reused: "Refusé\u202F: la demande avait déjà été envoyée avec un autre contenu",
  changed_since: "Refusé\u202F: la même chose a été modifiée depuis",
  cannot_undo: "Refusé\u202F: cela ne peut pas être défait",
};

export const CHANGES = {
  title: "Journal",
  intro: "Ce qui a été fait sur les rôles dont vous gérez les membres, et ce qui a été refusé.",
  done: DONE,
  tried: TRIED,
  /** For kinds of later versions. */
  unknownKind: (kind: string): string => `Autre modification\u202F: ${kind}`,
  kinds: KINDS,
  decisions: DECISIONS,
  unknownDecision: (decision: string): string => `Refusé\u202F: ${decision}`,
  administrator: "L’administration du service",
  importer: "Une importation",
  person: (id: number): string => `La personne ${id}`,
  erasedPerson: (id: number): string => `La personne ${id} (compte supprimé)`,
  through: <T>(role: T): readonly (T | string)[] => ["Comme membre dans ", role],
  hiddenMember: "quelqu’un que vous ne pouvez pas voir",
  somebody: "quelqu’un",
  someRole: "un rôle",
  hiddenRole: "un rôle que vous ne pouvez pas voir",
  /** Of a role that the change deleted. */
  justDeleted: <T>(role: T): readonly (T | string)[] => ["«\u202F", role, "\u202F»"],
  deletedRole: <T>(nameOrId: T | number): readonly (T | string)[] =>
    typeof nameOrId === "number"
      ? [`le rôle ${nameOrId} (supprimé depuis)`]
      : ["«\u202F", nameOrId, "\u202F» (supprimé depuis)"],
  key: <T>(nameOrId: T | number): readonly (T | string)[] =>
    typeof nameOrId === "number" ? [`clé ${nameOrId}`] : ["clé «\u202F", nameOrId, "\u202F»"],
  actingKey: <T>(nameOrId: T | number): readonly (T | string)[] =>
    typeof nameOrId === "number" ? [`La clé ${nameOrId}`] : ["La clé «\u202F", nameOrId, "\u202F»"],
  someDevice: (id: number): string => `l’appareil ${id}`,
  carries: "Transmet",
  carried: "Transmettait",
  becomes: "devient",
  endless: "Sans date de fin",
  endBefore: "Avant\u202F: ",
  atMost: "Au plus",
  deletedWith: (roles: number, devices: number): string =>
    `Supprimés avec lui\u202F: ${
      countAll([roles, { one: "rôle", other: "rôles" }], [devices, { one: "appareil", other: "appareils" }])
    }`,
  revision: (n: string): string => `Révision ${n}`,
  empty: "Aucune modification pour l’instant. Vous voyez celles des rôles dont vous gérez les membres.",
  emptyFiltered: "Aucune modification ne correspond aux filtres.",
  emptySoFar: "Rien parmi les dernières modifications. Les plus anciennes n’ont pas encore été parcourues.",
  further: "Chercher plus loin",
  live: "En direct",
  paused: "En pause",
  pause: "Pause",
  resume: "Reprendre",
  offline: "Hors connexion",
  tooManyWindows: "Pas en direct\u202F: vous suivez les modifications dans trop de fenêtres",
  trying: "Nouvelle tentative de connexion…",
  showNew: (n: number): string =>
    count(n, { one: "nouvelle modification", other: "nouvelles modifications" }),
  undo: {
    button: "Défaire",
    restore: "Rétablir",
    restoreOf: (revision: string): string => `Rétablir ce que la révision ${revision} a supprimé`,
    tooOld: (days: number): string =>
      `Trop ancien pour être rétabli\u202F: c’est possible pendant ${
        count(days, { one: "jour", other: "jours" })
      }.`,
    of: (revision: string): string => `Défaire la révision ${revision}`,
    undoes: (revision: string): string => `Défait la révision ${revision}`,
    undone: (revision: string): string => `Modification défaite dans la révision ${revision}`,
    title: "Défaire cette modification\u202F?",
    submit: "Défaire la modification",
    restoreTitle: "Rétablir ce qui a été supprimé\u202F?",
    working: "Un instant…",
    forbidden:
      "Vous n’avez pas le droit de défaire cela\u202F: il faut les mêmes droits que pour faire vous-même la modification inverse.",
    cannot:
      "Cela ne peut pas être défait\u202F: toutes les modifications ne peuvent pas l’être, et ce qui a été supprimé l’est peut-être définitivement. Modifiez-le à la main, si vous en avez le droit.",
    since: <T>(
      later: T,
    ): readonly (T | string)[] => [
      "Cela a été modifié à nouveau depuis, et seule la dernière modification peut être défaite. Regardez d’abord la ",
      later,
      ".",
    ],
    later: (revision: string): string => `révision ${revision}`,
    sinceHidden:
      "Cela a été modifié à nouveau depuis, par une modification que vous ne pouvez pas voir. Modifiez-le à la main, si vous en avez le droit.",
    tooLarge: (revision: number): string =>
      `C’est plus que le service n’en rétablit à la fois. L’administration du service peut le faire\u202F: indiquez-lui la révision, ${revision}.`,
    done: "La modification a été défaite.",
  },
  filters: {
    title: "Filtres",
    role: "Rôle",
    person: "Par",
    personHint: "Saisissez une partie de l’adresse, puis choisissez.",
    personFault:
      "Ce n’est pas encore une adresse entière\u202F: saisissez-la en entier, ou choisissez-en une.",
    kind: "Quoi",
    anyKind: "Tout",
    decision: "Résultat",
    anyDecision: "Tous",
    from: "Du",
    to: "Au",
    fromDate: (date: string): string => `à partir du ${date}`,
    toDate: (date: string): string => `jusqu’au ${date}`,
    by: <T>(email: T): readonly (T | string)[] => ["par ", email],
    remove: "Retirer le filtre ",
    clear: "Tout effacer",
  },
};
