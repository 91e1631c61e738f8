import type { MessageTexts } from "../message_content.ts";

export const en: MessageTexts = {
  invitation: ({ link, actorEmail, roleName }, issuerName) => ({
    subject: `Your invitation to ${issuerName}`,
    text: `Hello,

${actorEmail} has added you to the role “${roleName}” in ${issuerName}.

Open this link to choose your first password:

${link}

The link works once and is valid for 7 days. After that, request a password reset with this email address instead.

If you were not expecting this invitation, you can ignore it. Nobody can sign in to the account until its first password has been set.`,
  }),
  member_added: ({ actorEmail, roleName }, issuerName) => ({
    subject: `You have a new role in ${issuerName}`,
    text: `Hello,

${actorEmail} has added you to the role “${roleName}” in ${issuerName}.

Sign in as usual: there is nothing else you need to do.`,
  }),
  password_set: (issuerName) => ({
    subject: `Your ${issuerName} password has been set`,
    text: `Hello,

The password of your ${issuerName} account has just been set or changed.

If that was you, there is nothing else you need to do.

If it was not you, reset your password now and tell your administrator.`,
  }),
  refresh_token_reused: (issuerName) => ({
    subject: `We ended one of your ${issuerName} sessions`,
    text: `Hello,

An outdated sign-in token of one of your ${issuerName} sessions was used a second time. It may have been copied, so we have ended that session. Your other sessions go on.

If an app or a device asks you to sign in again, this is why. It can also happen when a device is restored from a backup.

If you cannot explain it, change your password and tell your administrator.`,
  }),
  footer: (issuerName) => `This message was sent automatically by ${issuerName}.`,
};
