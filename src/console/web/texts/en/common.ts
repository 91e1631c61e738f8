import type { RightName } from "../../../../graph/rights.ts";

/** What more than one view says. */
export const COMMON = {
  skip: "Skip to the content",
  loading: "Loading…",
  /** On the button of what is under way. */
  working: "One moment…",
  close: "Close",
  cancel: "Cancel",
  list: { more: "Show more", again: "Try again" },
  copy: { button: "Copy", copied: "Copied", selected: "Selected. Copy it with your keyboard or menu." },
  passwordField: {
    show: "Show",
    showLabel: "Show what you typed",
    hide: "Hide",
    hideLabel: "Hide what you typed",
  },
  finder: "Find anything",
  notAnAddress: "That is not an email address.",
  views: {
    label: "Views",
    home: "Home",
    role: "Hierarchy",
    why: "Why",
    changes: "Changes",
    devices: "Devices",
    account: "My account",
    people: "People",
  },
  account: { menu: "Your account", signOut: "Sign out", language: "Language" },
  theme: { label: "Appearance", system: "Same as the device", light: "Light", dark: "Dark" },
  unknownPage: {
    title: "There is no such page",
    text: "The address may be mistyped, or lead to something that you may not see.",
    back: "To the hierarchy",
  },
  failure: {
    title: "This page cannot be shown",
    text: "The connection may be lost, or the service was updated meanwhile. Load the page again.",
    reload: "Load again",
  },
  rights: {
    names: {
      roleManagement: "role management",
      userManagement: "user management",
      viewManagement: "view management",
      deviceManagement: "device management",
      reportManagement: "report management",
      alarmManagement: "alarm management",
    } satisfies Record<RightName, string>,
    /** In a word, in the order of the interface. */
    short: ["role", "user", "view", "device", "report", "alarm"],
    held: "held",
    notHeld: "not held",
    lost: "lost on this relation",
    none: "no rights",
    /** What a change would do to a role or relation. */
    wouldGain: (rights: string): string => `would gain ${rights}`,
    wouldLose: (rights: string): string => `would lose ${rights}`,
  },
  problems: {
    NETWORK: "The service cannot be reached. Check your connection.",
    UNAVAILABLE: "The service is busy or being maintained.",
    PASSWORD_INCORRECT: "Address or password is wrong.",
    wait: (time: string): string => `Too many attempts. Next one in ${time}.`,
    again: "You can try again now.",
    retried: "The page tries again by itself.",
    OTP_INVALID_EXPIRED: "The code is wrong or has expired.",
    NOT_CONFIRMED: "Nothing was changed, because you did not confirm that it is you.",
    SECOND_FACTOR_REQUIRED: "This needs a second step that this session has not shown.",
    PASSKEY_NOT_GIVEN: "No passkey was given: that was cancelled, or took too long. You can try again.",
    PASSKEY_ALREADY_ACTIVE: "This device has a passkey of your account already.",
    PASSKEYS_UNSUPPORTED: "Passkeys do not work in this browser, or not at this address.",
    PASSKEY_INVALID:
      "The passkey was not accepted. It may have been removed from the account, or this took too long.",
    PASSKEY_UNCONFIRMED:
      "This passkey is not confirmed yet. Open the link in the email about it, or sign in with your password.",
    PASSKEY_UNKNOWN: "This passkey was removed from its account. Sign in another way.",
    PASSKEY_UNINITIALIZED: "There is no passkey in your account any more.",
    FORBIDDEN: "You may not do that.",
    MALFORMED: "Something in the form is not as it should be.",
    UNKNOWN: "That did not work.",
  },
};
