import { gainsIn, moreIn, readersIn } from "../change_effect.ts";
import type { Texts } from "../en.ts";
import { parts } from "../parts.ts";
import { withMore } from "../plural.ts";
import { CHANGE_PEOPLE } from "./change_people.ts";
import { CHANGE_ROLES } from "./change_roles.ts";
import { list, lists, moreRoles, nodes, people, plural, restored, roles } from "./words.ts";

const { ofMany, ofOne } = gainsIn({
  list,
  roles,
  who: { exact: "", atMost: "Jusqu’à ", about: "Environ " },
  on: { exact: ", sur #.", total: ", sur # au total.", atMost: ", sur # au plus.", about: ", sur #." },
});
const readers = readersIn({
  roles,
  moreRoles,
  separator: "\u202F; ",
  upTo: plural("jusqu’à # [personne|personnes]"),
});
const andMore = plural(" et # [autre|autres].", ".");
const HIDDEN_ROLE = "un rôle que vous ne pouvez pas voir";

export const CHANGE_EFFECT: Texts["change"]["effect"] = {
  title: "Ce que cela change",
  asking: "Recherche de ce que cela changerait…",
  lose: ofMany(plural("# [personne perd|personnes perdent]")),
  gain: ofMany(plural("# [personne obtient|personnes obtiennent]")),
  loseOne: ofOne("perd", "perd peut-être"),
  gainOne: ofOne("obtient", "obtient peut-être"),
  nobodyLoses: "Personne ne perd rien.",
  nobodyGains: "Personne n’obtient rien.",
  emptyLose: (rights) =>
    `Personne ne perd rien pour l’instant\u202F: les rôles qui perdent ${list(rights)} n’ont pas de membres.`,
  emptyGain: (rights) =>
    `Personne n’obtient rien pour l’instant\u202F: les rôles qui obtiennent ${
      list(rights)
    } n’ont pas de membres.`,
  nothing: "Rien ne change pour personne.",
  loses: (rights) => `perd ${list(rights)}`,
  gains: (rights) => `obtient ${list(rights)}`,
  onRoles: (n, isLeast) => `sur ${roles(n, isLeast)}`,
  keeps: (rights, role) => parts`garde ${list(rights)}, par ${role ?? HIDDEN_ROLE}`,
  hasAlready: (rights, role) => parts`a déjà ${list(rights)}, par ${role ?? HIDDEN_ROLE}`,
  unchanged: (n) => `Rien ne change pour ${people(n)}\u202F:`,
  key: (name) => parts`Clé ${name}`,
  more: moreIn(
    plural("# [autre|autres]"),
    ", que vous ne pouvez pas voir",
    (hidden) => `, dont ${hidden} que vous ne pouvez pas voir`,
  ),
  onlyHidden: (n) => `${people(n)} que vous ne pouvez pas voir`,
  keys: "Les clés des programmes comptent comme des personnes.",
  readsMore: (names, others, most) =>
    `Liront plus de données d’appareils\u202F: ${readers(names, others, most)}.`,
  readsLess: (names, others, most) =>
    `Liront moins de données d’appareils\u202F: ${readers(names, others, most)}.`,
  truncated: "Il y en a plus que ce qui peut être compté ici.",
  others:
    "Il peut y en avoir moins\u202F: les personnes qui ont aussi ce droit par un autre rôle le gardent.",
  revision: (revision) =>
    `À la révision ${revision}. Si l’effet change avant que vous confirmiez, rien n’est fait et nous vous le disons.`,
  you: (rights, n, isLeast) => `Vous perdez vous-même ${list(rights)}, sur ${roles(n, isLeast)}.`,
  youUnless: (rights, n, isLeast) =>
    `Vous perdez vous-même ${list(rights)}, sur ${
      roles(n, isLeast)
    }, sauf si un autre de vos rôles vous donne ce droit.`,
  unmanaged: (name) => parts`Plus personne ne pourrait gérer ${name}.`,
  unmanagedMore: (name, n, isLeast) =>
    parts`Plus personne ne pourrait gérer ${name}, ni ${moreRoles(n, isLeast)}.`,
  unmanagedHidden: (n, isLeast) =>
    `Plus personne ne pourrait gérer ${roles(n, isLeast)} que vous ne pouvez pas voir.`,
  deleted: (name) => parts`${name} est supprimé\u202F: rien d’autre n’y mène.`,
  deletedMore: (name, roleCount, deviceCount) =>
    parts`${name} est supprimé, car rien d’autre n’y mène, et avec lui ${
      nodes(roleCount, deviceCount)
    } en dessous.`,
  deletedMany: (roleCount, deviceCount) => `Cela supprime ${nodes(roleCount, deviceCount)}.`,
  deletedNames: (names, more) => parts`Parmi eux\u202F: ${names}${andMore(more)}`,
  restored: restored("Restauré\u202F: #."),
  leftOut: restored(
    "Laissé de côté, car terminé depuis, ou parce que vous ne pourriez pas le créer maintenant\u202F: #.",
  ),
  goOn: plural(
    "# [relation|relations] avec des appareils qui sont restés [reprend|reprennent] maintenant, sans le temps écoulé depuis la suppression.",
  ),
  pastOnly: plural(
    "# [relation|relations] avec des appareils qui sont restés [ne revient|ne reviennent] que jusqu’à la suppression, car [elle a pris fin depuis, ou vous ne pourriez pas la|elles ont pris fin depuis, ou vous ne pourriez pas les] donner maintenant.",
  ),
  lastAwake:
    "Parmi les autres personnes qui gèrent ce rôle, aucune n’a montré, pour autant qu’on sache, la seconde étape qu’il exige. Peut-être que plus personne ne pourra alors le gérer\u202F: faites d’abord modifier quelque chose dans ce rôle par l’une d’elles.",
  stayingKeys: (names, hasOthers) =>
    parts`Des programmes gardent leur accès grâce à des clés créées par cette personne\u202F: ${names}${
      hasOthers ? " et d’autres" : ""
    }. Supprimez celles dont elle peut connaître le secret.`,
  moved:
    "Entre-temps, autre chose a été modifié, et rien n’a été fait. Voici ce que cela changerait maintenant\u202F:",
};

export const CHANGE: Texts["change"] = {
  gone: "Cela n’existe plus. Une autre personne l’a peut-être modifié.",
  back: "Retour au rôle",
  unknown: "L’adresse n’indique pas ce qu’il faut modifier.",
  hiddenRole: "(un rôle que vous ne pouvez pas voir)",
  nothing: "Personne n’obtient ni ne perd de droit.",

  effect: CHANGE_EFFECT,

  giving: {
    presets: { reader: "Vues seulement", technician: "Technique", manager: "Gestion", everything: "Tout" },
    mask: (rights) =>
      `Vous ne pouvez pas donner ${list(rights)}\u202F: votre propre appartenance ne le permet pas.`,
    onlyTake:
      "Ici, vous pouvez seulement retirer des droits\u202F: pour en ajouter, il faut la gestion des rôles sur les deux rôles, par la même appartenance.",
    needed:
      "Il faut pouvoir gérer un nouveau rôle\u202F: la relation transmet donc toujours la gestion des rôles.",
  },

  problems: {
    cycle: "Cela fermerait un cercle\u202F: le rôle qui serait au-dessus est déjà en dessous de l’autre.",
    unmanaged:
      "Aucun rôle ne gérerait plus celui-ci. Laissez la gestion des rôles sur la relation, ou ajoutez d’abord au-dessus un autre rôle qui l’a.",
    unmanagedRoles: (names, more) =>
      `Plus aucun rôle ne gérerait ${
        lists.format(withMore(names, more, moreRoles))
      }. Placez d’abord au-dessus un autre rôle avec la gestion des rôles.`,
    lastMember:
      "C’est le dernier membre à pouvoir gérer sans date de fin ce rôle au sommet. Invitez d’abord une autre personne sans date de fin.",
    externalIdTaken: "Un autre rôle sous le même rôle au sommet porte déjà cet ID. Choisissez-en un autre.",
    tooLarge:
      "Cela concerne plus de rôles que le service n’en modifie à la fois. Modifiez de plus petites parties en dessous, une par une.",
    invitations: (time) =>
      `Vous pouvez inviter jusqu’à 50 personnes par jour, et regarder ce que fait une invitation compte aussi. La prochaine sera possible dans ${time}.`,
    moved:
      "Entre-temps, une autre personne a modifié quelque chose\u202F: rien n’a été fait ici. Regardez à nouveau.",
    session: "Votre session était fermée\u202F; rien n’a donc été fait. Réessayez.",
    busy:
      "Le service était surchargé, et il n’est pas certain que cela ait été fait. Réessayez\u202F: rien n’est jamais fait deux fois.",
  },

  ...CHANGE_ROLES,
  ...CHANGE_PEOPLE,
};
