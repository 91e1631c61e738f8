import type { Texts } from "../en.ts";
import { parts } from "../parts.ts";
import { devices, lists, plural, pluralOver } from "./words.ts";

export const DEVICE_FORMS: Texts["deviceForms"] = {
  edit: "Modifier les propriétés",
  handOver: {
    open: "Transmettre",
    openAll: "Tout transmettre",
    title: (device) => parts`Transmettre ${device}`,
    titleMany: (n) => `Transmettre ${devices(n)}`,
    rest: pluralOver(
      "Après ceux-ci, il reste # [appareil|appareils]\u202F: le formulaire continue avec les suivants.",
    ),
    to: "Qui reprend",
    choose: "Choisissez le rôle qui reprend.",
    newOwner: "Le nouveau propriétaire n’a pas encore de rôle",
    at: "À partir de",
    atHint: (zone) => `Dans votre fuseau horaire, ${zone}. Vide\u202F: maintenant.`,
    now: "maintenant",
    keeps: (role, time) =>
      parts`${role} continue de lire ce qui a été mesuré ${
        typeof time === "string" ? "jusqu’à " : "jusqu’au "
      }${time}, et rien après.`,
    reads: (role, time) =>
      parts`${role} lit ce qui est mesuré à partir ${typeof time === "string" ? "de " : "du "}${time}.`,
    stays: (role) => parts`${role} l’a déjà, et continue seul.`,
    hidden: plural(
      "# [rôle|rôles] que vous ne voyez pas ne [lira rien après, lui|liront rien après, eux] non plus.",
    ),
    dropped: plural("# [période à venir sera supprimée|périodes à venir seront supprimées]."),
    above:
      "Les rôles au-dessus de l’un d’eux lisent ce que celui-ci lit, et ceux au-dessus des deux lisent tout.",
    othersKeep: "Les rôles que vous ne voyez pas gardent ce qu’ils ont.",
    whoHasAccess: (role) => parts`Qui a accès à ${role}`,
    workingAt: (n, all) => `Transmission, ${n} sur ${all}…`,
    done: (role) => `Transmis à ${role}.`,
    willFail: "Ceux-ci restent où ils sont\u202F:",
    failed: "Ceux-ci n’ont pas été transmis\u202F:",
    forbidden:
      "Vous ne pouvez pas le transmettre à ce rôle. Il faut la gestion des appareils sur ce rôle, et sur un rôle qui a l’appareil.",
  },
  attach: {
    open: "Laisser lire un autre rôle",
    title: (device) => parts`Laisser un autre rôle lire ${device}`,
    from: "À partir de",
    until: "Jusqu’à",
    emptyFrom: (zone) =>
      `Dans votre fuseau horaire, ${zone}. Vide\u202F: aussi loin que pour le rôle qui donne l’appareil.`,
    emptyUntil: (zone) =>
      `Dans votre fuseau horaire, ${zone}. Vide\u202F: aussi longtemps que pour le rôle qui donne l’appareil.`,
    reads: (role, period) => parts`${role} lit ce qui est mesuré ${period}.`,
    present: "Tant que cela dure, il voit l’appareil, et ses droits sur les appareils s’y appliquent.",
    submit: "Laisser lire",
    done: (role) => `${role} lit l’appareil.`,
    forbidden:
      "Vous ne pouvez pas faire cela\u202F: un de vos rôles doit avoir la gestion des appareils sur ce rôle et sur un rôle qui a l’appareil.",
  },
  period: {
    open: "Période",
    openFor: (role) => `Période de ${role}`,
    title: (role, device) => parts`Quand ${role} lit ${device}`,
    emptyFrom: (zone) => `Dans votre fuseau horaire, ${zone}. Le début ne peut pas être avancé.`,
    emptyUntil: (zone) => `Dans votre fuseau horaire, ${zone}. Vide\u202F: sans date de fin.`,
    unchanged: "Choisissez un autre moment.",
    submit: "Modifier la période",
    done: "La période a été modifiée.",
    forbidden: "Vous ne pouvez pas la modifier\u202F: il faut la gestion des appareils sur le rôle.",
    from: (from) => parts`à partir du ${from}`,
    until: (until) => parts`jusqu’au ${until}`,
    both: (from, until) => parts`du ${from} au ${until}`,
    always: "à tout moment",
  },
  detach: {
    open: "Détacher plutôt l’appareil",
    back: "Modifier plutôt la période",
    title: (device, role) => parts`Détacher ${device} de ${role}`,
    loses: (role) =>
      parts`${role} ne voit plus l’appareil, ni ce qui a été mesuré pendant cette période. Pour le garder, mettez fin à la période.`,
    deletes:
      "Aucun autre rôle ne l’a\u202F: l’appareil est supprimé, avec tout ce qu’il a mesuré. Le journal permet d’annuler cela pendant un certain temps.",
    submit: "Détacher",
    submitDelete: "Supprimer l’appareil",
    done: "L’appareil a été détaché.",
    doneDeleted: "L’appareil a été supprimé.",
  },
  properties: {
    title: (device) => parts`Propriétés de ${device}`,
    kind: "Type",
    kinds: { text: "Texte", number: "Nombre", flag: "Oui ou non", json: "JSON" },
    value: "Valeur",
    removeOf: (name) => `Retirer ${name}`,
    add: "Autre propriété",
    removed: (names) => `Retirées à l’enregistrement\u202F: ${lists.format(names)}.`,
    size: (bytes, most) => `${bytes} octets sur ${most}.`,
    tooLarge: (bytes, most) =>
      `Les propriétés ont ${bytes} octets, et peuvent en avoir ${most}. Raccourcissez-en ou retirez-en.`,
    notNumber: "Ce n’est pas un nombre.",
    lost: "Ce nombre a plus de chiffres qu’il n’en est conservé\u202F: écrivez-le comme texte.",
    notJson: "Ce n’est pas du JSON.",
    noName: "Donnez un nom à la propriété.",
    nameTaken: "Il y a déjà une propriété de ce nom.",
    submit: "Enregistrer les propriétés",
    done: "Les propriétés ont été modifiées.",
    modified:
      "Une autre personne a modifié l’appareil entre-temps. Ses modifications s’affichent maintenant, et votre saisie reste. Enregistrez de nouveau si c’est juste.",
    forbidden:
      "Vous ne pouvez pas modifier cet appareil\u202F: il faut la gestion des appareils sur un rôle qui l’a.",
  },
  create: {
    open: "Ajouter un appareil",
    title: (role) => parts`Nouvel appareil de ${role}`,
    nodeId: "Node ID",
    nodeIdHint: "Le nom sous lequel il envoie ses mesures\u202F: jusqu’à 128 caractères, définitif.",
    nodeIdFault: "Un Node ID a de 1 à 128 caractères, sur une ligne.",
    submit: "Ajouter l’appareil",
    done: (name) => `${name} a été ajouté.`,
    taken: "Un autre appareil a ce Node ID, ou l’avait il y a peu.",
    full: "Il n’y a plus de place pour des appareils sous le rôle au sommet.",
    forbidden:
      "Vous ne pouvez pas ajouter d’appareils ici\u202F: il faut la gestion des appareils sur le rôle.",
  },
  choices: {
    now: "Maintenant",
    today: "Aujourd’hui à 0 h",
    tomorrow: "Demain à 0 h",
    nextMonth: "Le mois prochain",
    none: "Aucun",
  },
  refusals: {
    cannotEnd: plural(
      "[Un autre rôle l’a|# autres rôles l’ont] aussi, et vous ne pouvez pas le [lui|leur] retirer. Demandez aux personnes qui gèrent [ce rôle|ces rôles].",
    ),
    tooMany: "Cet appareil a déjà autant de rôles qu’il est permis.",
    outside: "Vous ne pouvez donner l’appareil que pour un temps où un de vos rôles l’a.",
    beginsEarlier: "Une période ne peut pas commencer plus tôt qu’avant.",
    isEmpty: "La période finirait avant de commencer.",
  },
};
