import type { Texts } from "../en.ts";
import { withMore } from "../plural.ts";
import { CHANGE_EFFECT } from "./change_effect.ts";
import { CHANGE_PEOPLE } from "./change_people.ts";
import { CHANGE_ROLES } from "./change_roles.ts";
import { list, lists, moreRoles } from "./words.ts";

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
