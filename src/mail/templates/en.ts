import type { AdministratorActionParams, FactorParams, MessageTexts } from "../message_content.ts";
import { formatEnd } from "../end_format.ts";

const HELLO = "Hello,";
const NOT_YOU = "If that was not you, reset your password now and tell your administrator.";
const NOT_YOU_THEN = "Then reset your own password and tell your administrator.";
const FINE = "If that was you, there is nothing else you need to do.";
const ASKED_NOT = "If you did not ask for this, you can ignore this message: nothing has changed.";
const SECRET = "Do not share it with anyone, not even with someone who says that they work for us.";

const FACTORS: Readonly<Record<FactorParams["factor"], string>> = {
  passkey: "a passkey",
  totp: "an authenticator app",
  email_otp: "codes by email",
};

const ACTIONS: Readonly<Record<AdministratorActionParams["action"], string>> = {
  factor_disabled: "A second step of your sign-in has been turned off.",
  unlocked: "The waiting times after wrong codes and passwords have been ended.",
  sessions_ended: "All your sessions have been ended; sign in again.",
  sessions_and_keys_ended: "All your sessions and all keys that you made have been ended; sign in again.",
  invitation_resent: "Your invitation has been sent again, in a separate message.",
};

export const en: MessageTexts = {
  invitation: ({ link, actorEmail, roleName }, issuerName) => ({
    subject: `Your invitation to ${issuerName}`,
    blocks: [
      HELLO,
      `${actorEmail} has added you to the role “${roleName}” in ${issuerName}.`,
      "Open this link to choose your first password:",
      { link, label: "Choose a password" },
      "The link works once and is valid for 7 days. After that, request a password reset for this email address instead.",
      "If you were not expecting this invitation, you can ignore it. No one can sign in to the account until its first password has been set.",
    ],
  }),
  member_added: ({ actorEmail, roleName }, issuerName) => ({
    subject: `You have a new role in ${issuerName}`,
    blocks: [
      HELLO,
      `${actorEmail} has added you to the role “${roleName}” in ${issuerName}.`,
      "Sign in as usual: there is nothing else you need to do.",
    ],
  }),
  password_reset_link: ({ link }, issuerName) => ({
    subject: `Reset your ${issuerName} password`,
    blocks: [
      HELLO,
      `Someone, probably you, asked to reset the password of your ${issuerName} account. Open this link to choose a new one:`,
      { link, label: "Choose a new password" },
      "The link works once and is valid for 30 minutes.",
      ASKED_NOT,
    ],
  }),
  password_reset_otp: ({ otp }, issuerName) => ({
    subject: `Your code to reset your ${issuerName} password`,
    blocks: [
      HELLO,
      `Enter this code in ${issuerName} to choose a new password:`,
      { code: otp },
      `The code works once and is valid for 10 minutes. ${SECRET}`,
      ASKED_NOT,
    ],
  }),
  email_otp: ({ otp, purpose }, issuerName) => ({
    subject: purpose === "activation"
      ? `Your code to turn on codes by email for ${issuerName}`
      : `Your code to sign in to ${issuerName}`,
    blocks: [
      HELLO,
      purpose === "activation"
        ? `Enter this code in ${issuerName} to have codes sent to this address as the second step of your sign-in:`
        : `Enter this code in ${issuerName} to confirm that it is you:`,
      { code: otp },
      `The code works once and is valid for 10 minutes. ${SECRET}`,
      purpose === "activation"
        ? "If you did not ask for this, you can ignore this message: no codes will be sent to this address."
        : "If you did not ask for this code, someone may know your password: change it and tell your administrator.",
    ],
  }),
  email_transfer_otp: ({ otp }, issuerName) => ({
    subject: `Your code to confirm your new ${issuerName} address`,
    blocks: [
      HELLO,
      `Enter this code in ${issuerName} to make this the email address of your account:`,
      { code: otp },
      `The code works once and is valid for 10 minutes. ${SECRET}`,
      ASKED_NOT,
    ],
  }),
  email_transferred_old: ({ link }, issuerName) => ({
    subject: `The address of your ${issuerName} account has been changed`,
    blocks: [
      HELLO,
      `Your ${issuerName} account has been moved to another email address. You can no longer sign in with this one.`,
      FINE,
      "If that was not you, open this link to take your account back:",
      { link, label: "Undo the change" },
      "The link is valid for 72 hours. It restores this address, ends all sessions and removes the password. Afterwards, request a password reset to choose a new one.",
    ],
  }),
  factor_activated: ({ factor }, issuerName) => ({
    subject: `A second step now protects your ${issuerName} account`,
    blocks: [
      HELLO,
      `Signing in to your ${issuerName} account now takes a second step: ${FACTORS[factor]}.`,
      "Keep your recovery codes in a safe place: they let you in if this step does not work.",
      `${FINE} ${NOT_YOU}`,
    ],
  }),
  factor_confirmation: ({ factor, link }, issuerName) => ({
    subject: `Confirm the new sign-in method of your ${issuerName} account`,
    blocks: [
      HELLO,
      `A sign-in method was added to your ${issuerName} account: ${FACTORS[factor]}.`,
      factor === "passkey"
        ? "If you added it, open this link to confirm it. From then on, it signs you in without your password, and counts for roles that demand it:"
        : "If you added it, open this link to confirm it. From then on, it counts for roles that demand it:",
      { link, label: "Confirm" },
      "The link works once and is valid for 7 days.",
      "If that was not you, do not open the link: reset your password now and tell your administrator.",
    ],
  }),
  factor_deactivated: ({ factor }, issuerName) => ({
    subject: `A second step of your ${issuerName} sign-in was turned off`,
    blocks: [
      HELLO,
      `Signing in to your ${issuerName} account no longer uses ${
        FACTORS[factor]
      }. Your other sessions have been ended.`,
      FINE,
      NOT_YOU,
    ],
  }),
  recovery_code_used: ({ left }, issuerName) => ({
    subject: `A recovery code of your ${issuerName} account was used`,
    blocks: [
      HELLO,
      `A recovery code of your ${issuerName} account has just been used. Codes left: ${left}.`,
      left > 2 ? FINE : `${FINE} Create new codes soon, before you run out of them.`,
      NOT_YOU,
    ],
  }),
  key_created: ({ keyName, roleName }, issuerName) => ({
    subject: `Your ${issuerName} account has made a key`,
    blocks: [
      HELLO,
      `With your account, the key “${keyName}” of the role “${roleName}” has just been made in ${issuerName}. A program that has it acts for this role until the key ends, also when you are signed out.`,
      FINE,
      `If that was not you, end all your other sessions and the keys that you made, in your account in ${issuerName}. ${NOT_YOU_THEN}`,
    ],
  }),
  role_password_set: ({ roleName }, issuerName) => ({
    subject: `Your ${issuerName} account has set the password of a role`,
    blocks: [
      HELLO,
      `With your account, a password of the role “${roleName}” has just been set in ${issuerName}. People who know it can place the role below a role of theirs.`,
      FINE,
      `If that was not you, remove the password of the role. ${NOT_YOU_THEN}`,
    ],
  }),
  membership_ends: ({ roleName, endsAt, others, actorEmail }, issuerName) => ({
    subject: `Your membership in ${issuerName} ends soon`,
    blocks: [
      HELLO,
      `Your membership of the role “${roleName}” in ${issuerName} ends on ${formatEnd("en", endsAt)}.`,
      ...(others === 0
        ? []
        : others === 1
        ? ["Another membership of yours ends about then, too."]
        : [`${others} other memberships of yours end about then, too.`]),
      actorEmail === null
        ? "If you still need it, ask a person who manages the members of this role to extend it."
        : `If you still need it, ask ${actorEmail}, who gave it to you, or another person who manages the members of this role to extend it.`,
      "Otherwise there is nothing that you need to do.",
    ],
  }),
  key_ends: ({ roleName, keyName, endsAt, others }, issuerName) => ({
    subject: `A key that you made in ${issuerName} ends soon`,
    blocks: [
      HELLO,
      `The key “${keyName}” of the role “${roleName}” in ${issuerName}, which you made, ends on ${
        formatEnd("en", endsAt)
      }. From then on, the program that has it has no access.`,
      ...(others === 0
        ? []
        : others === 1
        ? ["Another key that you made ends about then, too."]
        : [`${others} other keys that you made end about then, too.`]),
      "If the program is still needed, make a new key and give it to the program before then. If you may no longer do that, ask a person who manages the members of this role.",
    ],
  }),
  operator_action: ({ action }, issuerName) => ({
    subject: `An administrator made a change to your ${issuerName} account`,
    blocks: [
      HELLO,
      `An administrator of ${issuerName} has made a change to your account. ${ACTIONS[action]}`,
      "If you did not ask for this, tell your administrator.",
    ],
  }),
  plain: {
    password_set: (issuerName) => ({
      subject: `Your ${issuerName} password has been set`,
      blocks: [
        HELLO,
        `The password of your ${issuerName} account has just been set or changed.`,
        FINE,
        NOT_YOU,
      ],
    }),
    refresh_token_reused: (issuerName) => ({
      subject: `We ended one of your ${issuerName} sessions`,
      blocks: [
        HELLO,
        `An outdated sign-in token of one of your ${issuerName} sessions was used again. It may have been copied, so we have ended that session. Your other sessions are not affected.`,
        "If an app or a device asks you to sign in again, this is why. It can also happen when a device is restored from a backup.",
        "If you cannot explain it, change your password and tell your administrator.",
      ],
    }),
    email_transferred: (issuerName) => ({
      subject: `This is now the address of your ${issuerName} account`,
      blocks: [
        HELLO,
        `Your ${issuerName} account now has this email address. Sign in with it from now on. Your other sessions have been ended.`,
        "For 72 hours, the change can be undone with a link that was sent to the old address.",
      ],
    }),
    transfer_undone: (issuerName) => ({
      subject: `The change of your ${issuerName} address was undone`,
      blocks: [
        HELLO,
        `The change of the email address of your ${issuerName} account has been undone: the old address is valid again. All sessions have been ended, and the password has been removed.`,
        "Second steps and recovery codes that were set up less than three days before the change, or since then, have been removed, too.",
        "To sign in, request a password reset for the old address. Then check your second steps and recovery codes, and set up what is missing.",
      ],
    }),
    recovery_codes_reset: (issuerName) => ({
      subject: `You have new recovery codes for ${issuerName}`,
      blocks: [
        HELLO,
        `The recovery codes of your ${issuerName} account have been replaced. The earlier ones no longer work, and your other sessions have been ended.`,
        FINE,
        NOT_YOU,
      ],
    }),
    second_factor_failures: (issuerName) => ({
      subject: `Someone may know your ${issuerName} password`,
      blocks: [
        HELLO,
        `Someone entered the correct password of your ${issuerName} account, and then five wrong codes. They were not let in.`,
        "If that was you, sign in again.",
        "If that was not you, change your password now and tell your administrator.",
      ],
    }),
    passkey_copied: (issuerName) => ({
      subject: `A passkey of your ${issuerName} account was refused`,
      blocks: [
        HELLO,
        `A passkey of your ${issuerName} account was refused, because it had counted fewer uses than before. There may be a copy of it.`,
        "Remove the passkey in your account settings, and add a new one.",
        NOT_YOU,
      ],
    }),
    account_deleted: (issuerName) => ({
      subject: `Your ${issuerName} account has been deleted`,
      blocks: [
        HELLO,
        `Your ${issuerName} account and its memberships have been deleted. No one can sign in to it any more.`,
        "If you did not ask for this, tell your administrator.",
      ],
    }),
  },
  footer: (issuerName) => `This message was sent automatically by ${issuerName}.`,
};
