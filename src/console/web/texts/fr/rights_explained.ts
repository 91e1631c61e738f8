import type { RIGHTS_EXPLAINED as EN } from "../en/rights_explained.ts";

export const RIGHTS_EXPLAINED: typeof EN = {
  title: "Ce que signifient les droits",
  sentences: {
    roleManagement: "Créer des rôles en dessous, les renommer, les déplacer et les supprimer.",
    userManagement: "Inviter et retirer des personnes, et voir qui a accès.",
    viewManagement: "Gérer les vues, dans les programmes qui interrogent ce service.",
    deviceManagement: "Ajouter et modifier des appareils, et écrire ce qu’ils mesurent.",
    reportManagement: "Gérer les rapports, dans les programmes qui interrogent ce service.",
    alarmManagement: "Gérer les alarmes, dans les programmes qui interrogent ce service.",
  },
  sees: {
    name: "le voit",
    text:
      "Tout chemin vers un rôle, même sans aucun droit, montre ce rôle, tout ce qui est en dessous, et ce que mesurent ses appareils.",
  },
};
