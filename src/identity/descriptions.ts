import { GUESS_LOCK_FAILURES, GUESS_LOCK_SECONDS, GUESS_WAITS_SECONDS } from "../throttle/limits.ts";

/** Sentences shared by the OpenAPI descriptions of several operations. */

export const SUDO_RULE =
  "Needs a sudo token. While no second factor is active, an access token is enough if the password sign-in of " +
  "its session is at most 15 minutes old.";

/** For operations whose results outlast the session. */
export const LASTING_RULE =
  "The result outlasts the session, so a user also sends a sudo token in `X-Sudo-Token`, of the same session and at " +
  "most 5 minutes old; a recent sign-in does not replace it. Without a second factor it comes from " +
  "`POST /user/password/authenticate`. A second factor that the same session enrolled as the first is no proof yet: sign in " +
  "with it. Keys are refused with 403.";

export const SUDO_HEADER_TEXT = "A sudo token of the session of the access token";

const WAITS = GUESS_WAITS_SECONDS.filter((seconds) => seconds > 0);
const FREE_GUESSES = GUESS_WAITS_SECONDS.length - WAITS.length;

export const GUESS_RULE =
  `After more than ${FREE_GUESSES} wrong codes in a row, the next guess has to wait: ${
    WAITS.slice(0, -1).join(", ")
  } ` +
  `and then always ${WAITS.at(-1)} seconds, and ${
    GUESS_LOCK_SECONDS / 3600
  } hours after ${GUESS_LOCK_FAILURES} wrong ` +
  "codes. A code sent during a wait is not checked and gets a 429 with `retryAfter`. All sessions and logins of the " +
  "account share the count.";
