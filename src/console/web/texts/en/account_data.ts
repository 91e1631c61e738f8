import type { SecurityResult } from "../../../../identity/security_result.ts";
import { countIn } from "../plural.ts";

const count = countIn("en");

/** Address and language, sessions, security log, and own data. */
export const ACCOUNT_DATA = {
  tabs: {
    profile: "Address and language",
    sessions: "Sessions",
    log: "Security log",
    data: "Your data",
  },
  changePassword: "change your password",
  address: {
    part: "Email address",
    current: "You sign in with {email}, and emails to you go there.",
    change: "Change the address",
    title: "Change your email address",
    intro:
      "We send a code to the new address, to be sure that it is yours. The address changes when you enter it.",
    means: [
      "Your other sessions end then.",
      "The old address gets a link that undoes the change. It is valid for 72 hours.",
      "As long as the link is valid, you cannot change the address again or delete your account.",
    ],
    email: "New email address",
    send: "Send a code",
    sending: "Sending…",
    haveCode: "I have a code already",
    codeTitle: "Enter the code",
    sent: "An email with a code is on its way to {email}.",
    sentBefore: "An email with a code went to your new address.",
    code: "Code from the email",
    codeHint: "Six characters, valid for 10 minutes.",
    complete: "Change the address",
    completing: "Changing…",
    another: "Use another address",
    notArrived: "No email after a minute? Look in your spam folder, or have another one sent.",
    sendAgain: "Send another code",
    sentAgain: "Another email is on its way. The code before it is no longer valid.",
    moved: {
      title: "Your address is changed",
      now: "From now on you sign in with {email}.",
      undo:
        "If this was a mistake: an email with a link that undoes it went to {email}. The link is valid for 72 hours.",
      sessions: "All your other sessions have ended.",
    },
    faults: {
      email: "This is not an email address.",
      wait: (time: string): string =>
        `A code was sent a short while ago. The next one can be sent in ${time}.`,
      code: "The code is wrong or has expired. After five wrong codes, have another one sent.",
      inUse: "Another account has this address, or may get it back within 72 hours. Use another address.",
      tooSoon:
        "The address was changed less than 72 hours ago. It can be changed again once that cannot be undone any more.",
    },
  },
  language: {
    title: "Language",
    intro: "This page and the emails to you are in this language.",
    differ: (page: string, mails: string): string =>
      `This page is in ${page}, but emails to you are in ${mails}. Choose one language for both.`,
    label: "Language of this page and of emails",
    save: "Use this language",
    saving: "Saving…",
    saved: "This page and the emails to you are in English now.",
  },
  sessions: {
    title: "Where you are signed in",
    intro: "If you do not recognize a session, end it and {change}.",
    none: "There are no sessions.",
    current: "this session",
    client: (browser: string, system: string): string => `${browser} on ${system}`,
    unknownClient: "A program that does not say its name",
    times: "Signed in {created} · last active {used}",
    end: "End",
    ended: "The session has ended.",
    working: "Ending…",
    others: {
      open: "End all others",
      title: "End all other sessions?",
      text: "Their users have to sign in again. You stay signed in here.",
      submit: "End all others",
      done: "All other sessions have ended.",
    },
    all: {
      open: "Sign out everywhere",
      title: "Sign out everywhere?",
      text: "All your sessions end, this one too. Then you have to sign in again.",
      submit: "Sign out everywhere",
    },
    withKeys: "Also delete the keys that I made",
    withKeysHint:
      "The programs that use them lose their access at once. Keys of roles that you have left stay in your list.",
    doneWithKeys: "All other sessions have ended, and the keys that you made are deleted.",
  },
  ownKeys: {
    title: "Keys that you made",
    intro:
      "A program with one of these keys acts for a role, also while you are signed out. If you do not recognize a key, delete it and {change}.",
    none: "You have made no keys.",
    role: "For the role",
  },
  log: {
    title: "What happened to your account",
    intro: "If something here was not you, {change} and end the other sessions.",
    none: "Nothing has happened yet.",
    from: "from {address}",
    refused: "refused",
    attempts: (n: number): string => `${count(n, { one: "attempt", other: "attempts" })} within a minute.`,
    unknown: "Something else was done with the account.",
    /** What was done, and what was tried if it was refused. */
    events: {
      "login": ["Signed in", "Tried to sign in"],
      "logout": ["Signed out", "Tried to sign out"],
      "session.end": ["Ended sessions", "Tried to end a session"],
      "session.refresh_token_reused": [
        "A session ended, because its secret was used twice: another person may have had it",
        "A session ended",
      ],
      "session.operator": [
        "The operator of the service worked in your name",
        "The operator of the service tried to work in your name",
      ],
      "password_reset_link.request": [
        "Asked for a link to set a new password",
        "Tried to get a link by email",
      ],
      "password_reset_otp.request": [
        "Asked for a code to set a new password",
        "Tried to get a code by email",
      ],
      "password_reset_otp.check": ["Entered a code from an email", "Entered a code from an email"],
      "password_reset_otp": ["Set a new password with a code", "Tried to set a new password with a code"],
      "password.reset_link": ["Set a new password with a link", "Tried to set a new password with a link"],
      "password.invitation_link": ["Set the first password", "Tried to set the first password"],
      "password.change": ["Changed the password", "Tried to change the password"],
      "password.prove": ["Confirmed with the password", "Tried to confirm with the password"],
      "email.initiate": ["Asked for a code to change the address", "Tried to change the address"],
      "email.transfer": ["Changed the address", "Tried to change the address"],
      "email.undo": ["Undid the change of the address", "Tried to undo the change of the address"],
      "email_otp.setup": ["Began to set up codes by email", "Tried to set up codes by email"],
      "email_otp.activate": ["Turned codes by email on", "Tried to turn codes by email on"],
      "email_otp.challenge": ["Asked for a code by email", "Tried to get a code by email"],
      "email_otp.authenticate": [
        "Confirmed with a code from an email",
        "Tried to confirm with a code from an email",
      ],
      "email_otp.deactivate": ["Turned codes by email off", "Tried to turn codes by email off"],
      "totp.setup": ["Began to set up an authenticator app", "Tried to set up an authenticator app"],
      "totp.activate": ["Turned the authenticator app on", "Tried to turn the authenticator app on"],
      "totp.authenticate": [
        "Confirmed with the authenticator app",
        "Tried to confirm with the authenticator app",
      ],
      "totp.deactivate": ["Turned the authenticator app off", "Tried to turn the authenticator app off"],
      "passkey.activate": ["Added a passkey", "Tried to add a passkey"],
      "passkey.authenticate": ["Confirmed with a passkey", "Tried to confirm with a passkey"],
      "passkey.login": ["Signed in with a passkey", "Tried to sign in with a passkey"],
      "passkey.rename": ["Renamed a passkey", "Tried to rename a passkey"],
      "passkey.deactivate": ["Removed a passkey", "Tried to remove a passkey"],
      "factor.confirm": ["Confirmed a new way to sign in", "Tried to confirm a new way to sign in"],
      "recovery_code.authenticate": [
        "Confirmed with a recovery code",
        "Tried to confirm with a recovery code",
      ],
      "recovery_code.reset": ["Made new recovery codes", "Tried to make new recovery codes"],
      "account.delete": ["Deleted the account", "Tried to delete the account"],
      "operator.factor_disabled": [
        "The operator of the service turned a second step off",
        "The operator of the service tried to turn a second step off",
      ],
      "operator.unlocked": [
        "The operator of the service ended the waiting times after wrong attempts",
        "The operator of the service tried to end the waiting times after wrong attempts",
      ],
      "operator.sessions_ended": [
        "The operator of the service ended your sessions",
        "The operator of the service tried to end your sessions",
      ],
      "operator.invitation_resent": [
        "The operator of the service sent the invitation again",
        "The operator of the service tried to send the invitation again",
      ],
    },
    reasons: {
      started: "It was not finished.",
      abandoned: "The service was too busy to check it. It did not count as a wrong attempt.",
      wrong: "What was entered was wrong.",
      unreadable: "The stored password cannot be read: a new one must be set by email.",
      copied: "The passkey had counted fewer uses than before: there may be a copy of it.",
      waiting: "It came too soon: after wrong attempts or emails, the next one has to wait.",
      outdated: "Something else had changed it meanwhile.",
      void: "Something else had changed the account meanwhile.",
      over: "The session or the sign-in had ended meanwhile.",
      proof_required: "It had to be confirmed first.",
      second_factor: "The password was right. A second step had to follow.",
      activation: "To turn them on.",
      uninitialized: "It had not been set up.",
      inactive: "It was not turned on.",
      disabled: "It was turned off.",
      needs_codes: "There had to be recovery codes first.",
      no_code: "No code was valid at the time.",
      in_use: "An account has it already, or may get it back.",
      unconfirmed: "The passkey was not confirmed yet.",
      unknown: "The account had no such passkey.",
      too_soon: "The last change of the address could still be undone.",
      too_many: "There were too many already.",
      transferred: "A change of the address could still be undone.",
      root_without_member: "One of the topmost roles would have had no one left to manage it.",
      has_password: "The account had a password already.",
      no_role: "The account was in no role.",
      denied: "There was no such session any more.",
      ended: "Change your password if you are not sure why.",
    } satisfies Record<Exclude<SecurityResult, "ok">, string>,
  },
  own: {
    title: "Take your data with you",
    intro:
      "Everything that is stored about you, in one file (JSON): your account, roles, sessions and the security log. " +
      "Passwords and other secrets are not in it.",
    save: "Save as a file",
    saving: "Collecting…",
    saved: "Your data is saved as a file.",
    running: (time: string): string => `Another export of yours is running. Try again in ${time}.`,
  },
  leave: {
    title: "Delete your account",
    intro: "First you see what becomes of the roles that you are in. Nothing is deleted yet.",
    open: "See what deleting means",
    means: [
      "You cannot sign in any more, and all your sessions end.",
      "You are no longer a member of any role.",
      "Your password, second steps, codes and links are deleted.",
      "What you did stays in the logs, without your name and your network addresses.",
      "Passwords that you set for roles stop working. Keys that you made for programs go on working.",
      "No one can bring the account back, not even the operator of the service.",
    ],
    roles: "The roles that you are in",
    looking: "Looking at your roles…",
    noRoles: "You are not in any role.",
    allManaged: (n: number): string =>
      n === 1
        ? "You are in one role. After you have left, all roles still have a person who can manage them."
        : `You are in ${
          count(n, { other: "roles" })
        }. After you have left, all roles still have a person who can manage them.`,
    unmanaged: "After you have left, no one could manage these roles any more. Find another person first:",
    moreUnmanaged: (n: number): string => `And ${count(n, { one: "more role", other: "more roles" }, true)}.`,
    keeps:
      "You are the last one who manages a topmost role for good, so you cannot leave. Make another person a member of it " +
      "first, with role management and for good:",
    partial: "Not all of your roles could be looked at. There may be more that no one could manage.",
    oneByOne:
      "Each of your memberships was looked at by itself. A role that only you manage, but through several memberships, is not noticed.",
    typeAddress: "To delete the account, type {email}.",
    confirm: "Your email address",
    different: "This is not the address of your account.",
    submit: "Delete my account",
    working: "Deleting…",
    keepsNow:
      "You have become the last one who manages one of your roles for good. Load this page again to see which.",
    transferred:
      "The address of the account was changed less than 72 hours ago. It can be deleted once that cannot be undone any more.",
  },
  goodbye: {
    title: "Your account is deleted",
    text: "An email confirms it. Thank you for having been here.",
    signIn: "To the sign-in page",
  },
};
