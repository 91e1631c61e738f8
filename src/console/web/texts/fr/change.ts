import type { Isolated } from "../isolated.ts";
import type { RightName } from "../../../../role/rights.ts";
import type { components } from "../../openapi_types.ts";
import { countAllIn, countIn, type Forms } from "../plural.ts";

const count = countIn("fr");
const countAll = countAllIn("fr");
const lists = new Intl.ListFormat("fr");
const grammar = new Intl.PluralRules("fr");

const KINDS: Readonly<Record<RightName, string>> = {
  roleManagement: "des rôles",
  userManagement: "des utilisateurs",
  viewManagement: "des vues",
  deviceManagement: "des appareils",
  reportManagement: "des rapports",
  alarmManagement: "des alarmes",
};

/** "la gestion des rôles, des utilisateurs et des vues". */
function list(rights: readonly RightName[]): string {
  if (rights.length === Object.keys(KINDS).length) return "les six droits";
  return `la gestion ${lists.format(rights.map((name) => KINDS[name]))}`;
}

function people(n: number): string {
  return count(n, { one: "personne", other: "personnes" });
}

const ROLES: Forms = { one: "rôle", other: "rôles" };
const DEVICES: Forms = { one: "appareil", other: "appareils" };
const MEMBERSHIPS: Forms = { one: "appartenance", other: "appartenances" };

function roles(n: number, isLeast = false): string {
  return count(n, ROLES, isLeast);
}

function deletedNodes(roleCount: number, deviceCount: number): string {
  return countAll([roleCount, ROLES], [deviceCount, DEVICES]);
}

/** What is deleted together with a role: " et 3 rôles et 1 appareil en dessous"; nothing without any. */
function withBelow(roleCount: number, deviceCount: number): string {
  return roleCount + deviceCount === 0 ? "" : ` et ${deletedNodes(roleCount, deviceCount)} en dessous`;
}

function listRestored(
  { roles, devices, relations, monitors, members }: components["schemas"]["Restored"],
): string {
  return countAll(
    [roles, ROLES],
    [devices, DEVICES],
    [relations + monitors, { one: "relation", other: "relations" }],
    [members, MEMBERSHIPS],
  );
}

/** A sentence with parts that are not plain text: names, or what is emphasized. */
type Parts<T> = readonly (string | T)[];

interface Amount {
  readonly people: number;
  readonly rights: readonly RightName[];
  /** Undefined if it is not known. */
  readonly roles: number | undefined;
  /** How the numbers are to be read. */
  readonly bound: "exact" | "atMost" | "about";
}

type Strong<T> = (text: string) => T;

const VERBS = {
  lose: { one: "perd", other: "perdent" },
  gain: { one: "gagne", other: "gagnent" },
};

/** "7 personnes perdent la gestion des appareils, sur 4 rôles." */
function sentence<T>(strong: Strong<T>, verb: "lose" | "gain", amount: Amount): Parts<T> {
  const who = { exact: "", atMost: "Jusqu’à ", about: "Environ " }[amount.bound] + people(amount.people);
  const does = grammar.select(amount.people) === "one" ? VERBS[verb].one : VERBS[verb].other;
  return [strong(`${who} ${does}`), ` ${list(amount.rights)}`, on(amount)];
}

/** The same of one person. */
function sentenceOf<T>(name: T, verb: string, amount: Amount): Parts<T> {
  const maybe = amount.bound === "exact" ? "" : "peut-être ";
  return [name, ` ${verb} ${maybe}${list(amount.rights)}`, on(amount)];
}

function on({ roles: n, bound }: Amount): string {
  return n === undefined
    ? "."
    : `, sur ${bound === "atMost" ? "jusqu’à " : ""}${roles(n, bound === "about")}.`;
}

export const CHANGE = {
  gone: "Cela n’existe plus. Quelqu’un d’autre l’a peut-être modifié.",
  back: "Retour au rôle",
  unknown: "L’adresse n’indique pas ce qu’il faut modifier.",
  hiddenRole: "(un rôle que vous ne pouvez pas voir)",

  effect: {
    title: "Ce que cela change",
    asking: "Recherche de ce que cela changerait…",
    lose: <T>(strong: Strong<T>, amount: Amount): Parts<T> => sentence(strong, "lose", amount),
    gain: <T>(strong: Strong<T>, amount: Amount): Parts<T> => sentence(strong, "gain", amount),
    loseOne: <T>(name: T, amount: Amount): Parts<T> => sentenceOf(name, VERBS.lose.one, amount),
    gainOne: <T>(name: T, amount: Amount): Parts<T> => sentenceOf(name, VERBS.gain.one, amount),
    nobodyLoses: "Personne ne perd rien.",
    nobodyGains: "Personne ne gagne rien.",
    emptyLose: (rights: readonly RightName[]): string =>
      `Personne ne perd rien pour l’instant\u202F: les rôles qui perdent ${
        list(rights)
      } n’ont pas de membres.`,
    emptyGain: (rights: readonly RightName[]): string =>
      `Personne ne gagne rien pour l’instant\u202F: les rôles qui gagnent ${
        list(rights)
      } n’ont pas de membres.`,
    nothing: "Rien ne change pour personne.",
    loses: (rights: readonly RightName[]): string => `perd ${list(rights)}`,
    gains: (rights: readonly RightName[]): string => `gagne ${list(rights)}`,
    onRoles: (n: number, isLeast: boolean): string => `sur ${roles(n, isLeast)}`,
    /** Of somebody who loses other rights, or none: "garde la gestion des vues, par Installateur X". */
    keeps: <T>(rights: readonly RightName[], role: T | undefined): Parts<T> => [
      `garde ${list(rights)}, par `,
      role ?? "un rôle que vous ne pouvez pas voir",
    ],
    hasAlready: <T>(rights: readonly RightName[], role: T | undefined): Parts<T> => [
      `a déjà ${list(rights)}, par `,
      role ?? "un rôle que vous ne pouvez pas voir",
    ],
    unchanged: (n: number): string => `Rien ne change pour ${people(n)}\u202F:`,
    key: <T>(name: T): Parts<T> => ["Clé ", name],
    /** Of people that the list above does not show, some of whom the viewer may not see. */
    more: (n: number, hidden: number): string => {
      const others = count(n, { one: "autre", other: "autres" });
      if (hidden === 0) return others;
      return n === hidden
        ? `${others}, que vous ne pouvez pas voir`
        : `${others}, dont ${hidden} que vous ne pouvez pas voir`;
    },
    onlyHidden: (n: number): string => `${people(n)} que vous ne pouvez pas voir`,
    keys: "Les clés des programmes comptent comme des personnes.",
    truncated: "Il y en a plus que ce qui peut être compté ici.",
    others:
      "Il peut y en avoir moins\u202F: les personnes qui ont aussi ce droit par un autre rôle le gardent.",
    revision: (revision: string): string =>
      `À la révision ${revision}. Si l’effet change avant que vous confirmiez, rien n’est fait et nous vous le disons.`,
    you: (rights: readonly RightName[], n: number, isLeast: boolean): string =>
      `Vous perdez vous-même ${list(rights)}, sur ${roles(n, isLeast)}.`,
    youUnless: (rights: readonly RightName[], n: number, isLeast: boolean): string =>
      `Vous perdez vous-même ${list(rights)}, sur ${
        roles(n, isLeast)
      }, sauf si un autre de vos rôles vous donne ce droit.`,
    unmanaged: <T>(name: T): Parts<T> => ["Plus personne ne pourrait gérer ", name, "."],
    unmanagedMore: <T>(name: T, n: number, isLeast: boolean): Parts<T> => [
      "Plus personne ne pourrait gérer ",
      name,
      `, ni ${count(n, { one: "autre rôle", other: "autres rôles" }, isLeast)}.`,
    ],
    unmanagedHidden: (n: number, isLeast: boolean): string =>
      `Plus personne ne pourrait gérer ${roles(n, isLeast)} que vous ne pouvez pas voir.`,
    deleted: <T>(name: T): Parts<T> => [name, " est supprimé\u202F: rien d’autre n’y mène."],
    deletedMore: <T>(name: T, roleCount: number, deviceCount: number): Parts<T> => [
      name,
      " est supprimé, car rien d’autre n’y mène, et avec lui ",
      deletedNodes(roleCount, deviceCount),
      " en dessous.",
    ],
    deletedMany: (roleCount: number, deviceCount: number): string =>
      `Cela supprime ${deletedNodes(roleCount, deviceCount)}.`,
    deletedNames: <T>(names: T, more: number): Parts<T> => [
      "Parmi eux\u202F: ",
      names,
      more === 0 ? "." : ` et ${count(more, { one: "autre", other: "autres" })}.`,
    ],
    restored: (counts: components["schemas"]["Restored"]): string =>
      `Rétabli\u202F: ${listRestored(counts)}.`,
    leftOut: (counts: components["schemas"]["Restored"]): string =>
      `Laissé de côté, car terminé depuis, ou parce que vous ne pourriez pas le créer maintenant\u202F: ${
        listRestored(counts)
      }.`,
    lastAwake:
      "Parmi les autres personnes qui gèrent ce rôle, aucune n’est connue pour satisfaire à la seconde étape qu’il exige. Peut-être que plus personne ne pourra alors le gérer\u202F: faites d’abord modifier quelque chose dans ce rôle par l’une d’elles.",
    stayingKeys: <T>(names: T, hasOthers: boolean): Parts<T> => [
      "Des programmes gardent leur accès grâce à des clés créées par cette personne\u202F: ",
      names,
      `${hasOthers ? " et d’autres" : ""}. Supprimez celles dont elle peut connaître le secret.`,
    ],
    moved:
      "Entre-temps, quelqu’un a modifié quelque chose, et rien n’a été fait. Voici ce que cela changerait maintenant\u202F:",
  },

  giving: {
    mask: (rights: readonly RightName[]): string =>
      `Vous ne pouvez pas donner ${list(rights)}\u202F: votre propre appartenance ne le permet pas.`,
    onlyTake:
      "Ici, vous pouvez seulement retirer des droits\u202F: pour en ajouter, il faut la gestion des rôles sur les deux rôles, par la même appartenance.",
    needed:
      "Un nouveau rôle doit être géré par quelqu’un\u202F: la relation transmet donc toujours la gestion des rôles.",
  },

  problems: {
    cycle: "Cela fermerait un cercle\u202F: le rôle qui serait au-dessus est déjà en dessous de l’autre.",
    unmanaged:
      "Aucun rôle ne gérerait plus celui-ci. Laissez la gestion des rôles sur la relation, ou ajoutez d’abord au-dessus un autre rôle qui l’a.",
    unmanagedRoles: (names: readonly string[], more: number): string =>
      `Plus aucun rôle ne gérerait ${
        lists.format([
          ...names,
          ...(more === 0 ? [] : [count(more, { one: "autre rôle", other: "autres rôles" })]),
        ])
      }. Placez d’abord au-dessus un autre rôle avec la gestion des rôles.`,
    lastMember:
      "C’est le dernier membre à pouvoir gérer sans date de fin ce rôle au sommet. Invitez d’abord quelqu’un d’autre sans date de fin.",
    externalIdTaken: "Un autre rôle sous le même rôle de tête porte déjà cet ID. Choisissez-en un autre.",
    tooLarge:
      "Cela concerne plus de rôles que le service n’en modifie à la fois. Modifiez de plus petites parties en dessous, une par une.",
    previews: (time: string): string =>
      `Vous avez demandé très souvent ce que feraient des modifications. Cela reprendra tout seul dans ${time}.`,
    invitations: (time: string): string =>
      `Vous pouvez inviter jusqu’à 50 personnes par jour, et regarder ce que fait une invitation compte aussi. La prochaine sera possible dans ${time}.`,
    session: "Votre session était fermée\u202F; rien n’a donc été fait. Réessayez.",
    busy:
      "Le service était surchargé, et il n’est pas certain que cela ait été fait. Réessayez\u202F: rien n’est jamais fait deux fois.",
  },

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
      "Donnez-le, avec le numéro du rôle, à ceux qui doivent placer le rôle sous l’un des leurs. Ils peuvent se donner au plus les droits ci-dessous.",
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
    removeText: "Les relations faites avec lui restent.",
    done: "Le mot de passe du rôle a été défini.",
    removed: "Le mot de passe du rôle a été supprimé.",
    forbidden:
      "Vous ne pouvez pas le définir\u202F: il faut la gestion des rôles sur ce rôle, et il donne au plus ce que vous pouvez donner.",
  },

  takeOver: {
    title: <T>(role: T): Parts<T> => ["Reprendre un rôle sous ", role],
    text: "Ceux qui gèrent le rôle vous donnent son numéro et son mot de passe.",
    number: "Numéro du rôle",
    numberHint: "Sa page l’indique\u202F: «\u202FRôle 12\u202F»",
    numberFault: "Ce n’est pas le numéro d’un autre rôle.",
    password: "Mot de passe du rôle",
    rights: "La relation porte",
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
    noParents:
      "Aucun rôle que vous puissiez voir ne le gère\u202F: il n’y a donc nulle part d’où le retirer.",
    same: "Il y est déjà.",
    submit: "Déplacer",
    working: "Déplacement…",
    nothing: "Personne ne gagne ni ne perd de droit.",
    done: "Le rôle a été déplacé.",
  },

  create: {
    title: <T>(role: T): Parts<T> => ["Un nouveau rôle sous ", role],
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

  member: {
    inviteTitle: <T>(role: T): Parts<T> => ["Inviter quelqu’un dans ", role],
    title: <T>(person: T, role: T): Parts<T> => [person, " dans ", role],
    leaveTitle: <T>(role: T): Parts<T> => ["Quitter ", role],
    removeTitle: <T>(person: T, role: T): Parts<T> => ["Retirer ", person, " de ", role],
    email: "Adresse e-mail",
    emailHint: "Une personne encore inconnue reçoit un e-mail avec un lien.",
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
    exists: "Cette personne est déjà membre. Vous modifiez ici son appartenance.",
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
      "Une par ligne, ou séparées par des virgules. Un tableau avec un en-tête peut avoir les colonnes email, until et rights.",
    file: "Choisir un fichier CSV",
    tooLarge: "Le fichier est trop grand : 100 ko au plus.",
    tooMany: (found: number, most: number): string =>
      `Il y a ${found} adresses. On en invite ${most} au plus à la fois.`,
    missing: "Indiquez les adresses des personnes.",
    allMembers: "Toutes sont déjà membres, et le restent telles quelles.",
    faults: (n: number): string =>
      `${count(n, { one: "ligne est illisible", other: "lignes sont illisibles" })} :`,
    fault: {
      address: (line: number, text: Isolated): string =>
        `Ligne ${line} : « ${text} » n’est pas une adresse e-mail.`,
      twice: (line: number, text: Isolated): string => `Ligne ${line} : « ${text} » y figurait déjà.`,
      until: (line: number, text: Isolated): string =>
        `Ligne ${line} : « ${text} » n’est pas une fin. Écrivez 2027-01-31 ou 2027-01-31T12:00Z.`,
      rights: (line: number, text: Isolated): string =>
        `Ligne ${line} : « ${text} » n’est pas une liste de droits. Écrivez all, none ou viewManagement|alarmManagement.`,
    },
    members: (first: readonly Isolated[], n: number): string =>
      `${
        count(n, {
          one: "personne est déjà membre, et le reste telle quelle",
          other: "personnes sont déjà membres, et le restent telles quelles",
        })
      } : ${first.join(", ")}${n > first.length ? ", …" : "."}`,
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
    granted: "Mettre fin aussi à ce que cette personne y a donné à d’autres, et à ce que ceux-ci ont donné",
    ends: (members: number, keys: number, passwords: number): string =>
      `Cela met fin à ${
        countAll(
          [members, MEMBERSHIPS],
          [keys, { one: "clé", other: "clés" }],
          [passwords, { one: "mot de passe de rôle", other: "mots de passe de rôles" }],
        )
      }.`,
    none: "Il n’y a rien là à quoi vous puissiez mettre fin.",
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
