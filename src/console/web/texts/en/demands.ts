import type { Demand, Needs } from "../../schemas.ts";
import { type Parts, parts } from "../parts.ts";
import { plural, roles } from "./words.ts";

const oneOf = plural("[this role|one of these # roles]");

export const DEMANDS = {
  /** What a session needs, within a sentence. */
  needs: {
    none: "nothing more than signing in",
    required: "an authenticator app or a passkey",
    "phishing-resistant": "a passkey",
  } satisfies Record<Demand, string>,
  options: {
    none: "Nothing more than signing in",
    required: "Authenticator app or passkey",
    "phishing-resistant": "Passkey",
  } satisfies Record<Demand, string>,

  stepUp: {
    title: "Your second step is needed",
    ask: {
      required:
        "An authenticator app or a passkey is needed for this role. Use yours once, and it counts until you sign out.",
      "phishing-resistant":
        "A passkey is needed for this role. Use yours once, and it counts until you sign out.",
    } satisfies Record<Needs, string>,
    none: {
      required:
        "Your account has neither. Set one up, and then open the link in the email that we send you about it: only then does it count. Codes by email and recovery codes are not enough.",
      "phishing-resistant":
        "Your account has none. Add one, and then open the link in the email that we send you about it: only then does it count.",
    } satisfies Record<Needs, string>,
    unconfirmed:
      "You have set that up, but not confirmed it yet. Open the link in the email that we sent you then, and try again.",
    toAccount: "To your account",
    button: "Use your second step",
    done: "Your second step counts from now on, until you sign out.",
  },

  dormant: {
    title: "Dormant memberships",
    text:
      "A dormant membership gives you nothing, as if you were not a member, until this session has shown what the role demands.",
    now: (needs: string): string => `Dormant: needs ${needs}.`,
    later: (needs: string): string => `Dormant from {from} on: it then needs ${needs}.`,
    banner: plural("[One|#] of your memberships [is|are] dormant, so you do not see all that is yours."),
    bannerLater: "From {from} on, a role demands more of you than this session has shown.",
    which: "More about it",
  },

  policy: {
    title: "What it demands of its members",
    now: (needs: string): string => `To act for this role, its members need ${needs}.`,
    later: (needs: string, before: string): string =>
      `To act for this role, its members need ${needs} from {from} on. Until then: ${before}.`,
    was: (needs: string): string => `Before: ${needs}.`,
    wasPlanned: (now: string, needs: string): string => `Before: ${now}, and ${needs} from {from} on.`,
    change: "Change what it demands",
    formTitle: <T>(role: T): Parts<T> => parts`What ${role} demands of its members`,
    what: "To act for the role, members need",
    from: "From",
    fromHint: (zone: string): string => `In your time zone, ${zone}. Empty: at once.`,
    choices: { now: "At once", week: "In a week", month: "In 30 days" },
    tooFar: (days: number): string => `That is more than ${days} days from now.`,
    own: "You need to have shown it in this session yourself, and are asked for it if you have not.",
    unchanged: "That is what it demands already.",
    set: "Demand it",
    lift: "Demand nothing",
    done: "The role has its demand.",
    lifted: "The role demands nothing more than signing in.",
    liftText: "All its members act for it again as soon as they have signed in.",
    unmet: plural(
      "[One other member is|# other members are] not known to have it. Their [membership is|memberships are] then dormant until they show it.",
      "All other members have shown that already, when they last made a change.",
    ),
    unmetHidden: "You may not see the members, so it is not said how many have shown that already.",
    keys: "Keys of programs go on working. Roles that are made below this one later begin with its demand.",
    noUndo: "This cannot be undone from the list of changes, but you can set it again here.",
    forbidden:
      "You may not set this: it takes role management from a role above or, for a topmost role, as one of its members.",
    noAwake:
      "This topmost role would have no manager then. First, a member with role management, whose membership does not end, has to show that second step and make a change with it.",
  },

  /** The same demand for several roles. */
  several: {
    also: "Also for another role",
    full: (most: number): string => `At most ${most} roles are set at once.`,
    below: plural("Also for # [role|roles] directly below"),
    manyBelow: (most: number): string =>
      `More than ${most} roles are directly below, and at most ${most + 1} are set at once.`,
    leaveOut: "Leave out ",
    each: (n: number, needs: string, isLater: boolean): string =>
      `To act for ${oneOf(n)}, its members need ${needs}${isLater ? " from {from} on" : ""}.`,
    unmet: plural(
      "Not yet met, as far as is known, by # other [member|members]",
      "All other members have met that.",
    ),
    note:
      "Memberships of those who have not met it are dormant until they show it. Keys of programs go on working. Roles that are made below one of these later begin with its demand.",
    roles,
    done: plural("# [role was|roles were] changed."),
  },
};
