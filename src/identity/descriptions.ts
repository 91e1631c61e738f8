/** Sentences that the OpenAPI descriptions of several operations share. */

export const SUDO_RULE =
  "Needs a sudo token. While no second factor is active, an access token is enough if the password sign-in of " +
  "its session is at most 15 minutes old.";

export const GUESS_RULE =
  "From the fourth wrong code in a row on, the next guess has to wait: 30, 60, 120, 300, 900 and then always 3600 " +
  "seconds, and 24 hours after 100 wrong codes. A code sent during a wait is not checked and gets a 429 with " +
  "`retryAfter`. All sessions and logins of the account share the count.";
