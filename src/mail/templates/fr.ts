import type { MessageTexts } from "../message_content.ts";

export const fr: MessageTexts = {
  invitation: ({ link, actorEmail, roleName }, issuerName) => ({
    subject: `Votre invitation à rejoindre ${issuerName}`,
    text: `Bonjour,

${actorEmail} vous a attribué le rôle «\u00A0${roleName}\u00A0» dans ${issuerName}.

Ouvrez ce lien pour choisir votre premier mot de passe\u00A0:

${link}

Le lien ne fonctionne qu’une seule fois et reste valable 7 jours. Passé ce délai, demandez une réinitialisation du mot de passe avec cette adresse e-mail.

Si vous n’attendiez pas cette invitation, vous pouvez l’ignorer. Tant qu’aucun mot de passe n’a été choisi, personne ne peut se connecter à ce compte.`,
  }),
  member_added: ({ actorEmail, roleName }, issuerName) => ({
    subject: `Vous avez un nouveau rôle dans ${issuerName}`,
    text: `Bonjour,

${actorEmail} vous a attribué le rôle «\u00A0${roleName}\u00A0» dans ${issuerName}.

Connectez-vous comme d’habitude\u00A0: vous n’avez rien d’autre à faire.`,
  }),
  password_set: (issuerName) => ({
    subject: `Le mot de passe de votre compte ${issuerName} a été défini`,
    text: `Bonjour,

Le mot de passe de votre compte ${issuerName} vient d’être défini ou modifié.

Si cela vient de vous, vous n’avez rien d’autre à faire.

Si ce n’est pas le cas, réinitialisez immédiatement votre mot de passe et prévenez votre administrateur.`,
  }),
  refresh_token_reused: (issuerName) => ({
    subject: `Nous avons fermé l’une de vos sessions ${issuerName}`,
    text: `Bonjour,

Un ancien jeton de connexion de l’une de vos sessions ${issuerName} a été utilisé une seconde fois. Il a peut-être été copié\u00A0; nous avons donc fermé cette session. Vos autres sessions restent ouvertes.

Si une application ou un appareil vous demande de vous reconnecter, c’est pour cette raison. Cela peut aussi se produire lorsqu’un appareil est restauré à partir d’une sauvegarde.

Si vous ne voyez pas d’explication, changez votre mot de passe et prévenez votre administrateur.`,
  }),
  footer: (issuerName) => `Ce message a été envoyé automatiquement par ${issuerName}.`,
};
