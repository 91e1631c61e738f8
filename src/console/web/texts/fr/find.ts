import type { FIND as EN } from "../en/find.ts";
import { plural } from "./words.ts";

export const FIND: typeof EN = {
  hint: "Rôle, personne, appareil, page ou action",
  kinds: {
    mine: "Votre rôle",
    recent: "Récent",
    role: "Rôle",
    person: "Personne",
    device: "Appareil",
    page: "Page",
    action: "Action",
  },
  below: (names) => `sous ${names.join(", ")}`,
  more: { role: "Autres rôles", person: "Autres personnes", device: "Autres appareils" },
  hits: plural("# [résultat|résultats]"),
  none:
    "Rien de ce que vous pouvez voir ne s’appelle ainsi. Les personnes se trouvent par leur adresse e-mail.",
  noRole: "Aucun rôle que vous puissiez voir ne s’appelle ainsi.",
  beginning: "Seul ce qui commence ainsi est affiché.",
  short:
    "Seul ce qui commence ainsi est affiché. À partir de trois caractères, toute partie d’un nom est trouvée.",
  others: "Il y en a d’autres. Saisissez une plus grande partie du nom.",
  actions: {
    invite: "Inviter une personne dans {role}",
    inviteMany: "Inviter plusieurs personnes dans {role}",
    create: "Nouveau rôle sous {role}",
    why: "Pourquoi\u202F: les droits d’une personne sur {role}",
    people: "Personnes ayant accès à {role}",
    devices: "Appareils de {role}",
    addDevice: "Ajouter un appareil à {role}",
    handOver: "Transmettre les appareils de {role}",
    edit: "Modifier le nom et les droits de {role}",
    move: "Déplacer {role}",
    delete: "Supprimer {role}",
  },
  keys: {
    title: "Touches",
    names: "Ctrl Début Fin Entrée Échap",
    find: "Rechercher un rôle, une personne, un appareil, une page ou une action",
    show: "Afficher ces touches",
    move:
      "Dans un schéma, vers la case suivante dans cette direction\u202F; dans une liste de résultats, monter et descendre",
    menu: "Dans un schéma\u202F: ce que vous pouvez faire du rôle affiché",
    ends: "Dans une liste de résultats, vers le premier, vers le dernier",
    open: "Ouvrir ou exécuter",
    undo: "Annuler la modification qu’un message annonce",
    leave: "Fermer une fenêtre ou un message, ou quitter un formulaire",
  },
};
