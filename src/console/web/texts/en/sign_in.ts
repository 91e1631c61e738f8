import type { Isolated } from "../isolated.ts";

export const SIGN_IN = {
  title: "Sign in",
  over: "That took too long, or too many codes were wrong. Start again.",
  ended: "Your session has ended. Sign in again: what you were doing is still here.",
  submit: "Sign in",
  byPasskey: "Sign in with a passkey",
  forgot: "Forgot your password?",
  forgotTitle: "Choose a new password",
  forgotText:
    "We send a link to your address. It is valid for 30 minutes, and lets you choose a new password.",
  forgotSubmit: "Send the link",
  forgotDone: "If there is an account with this address, an email with a link is on its way.",
  factorTitle: "Second step",
  totp: "Code from your authenticator app",
  emailOtp: "Code from the email",
  recoveryCode: "Recovery code",
  passkeyHint: "Your device asks for your fingerprint, your face or its PIN.",
  hints: {
    totp: "The six digits that the app shows now.",
    emailOtp: "Six digits. They are valid for 10 minutes, and only here.",
    recoveryCode: "One of the codes that you kept when you set up the second step. Each works once.",
  },
  emailOtpTo: "We send a code to",
  emailOtpSend: "Send the code",
  emailOtpSent: "A code is on its way to",
  sendAgain: "Send another code",
  nextMail: (time: string): string => `Another one can be sent in ${time}.`,
  factorSubmit: "Continue",
  guesses: {
    malformed: "That is not a whole code. Nothing was sent.",
    wrong: "The code is wrong, or not valid any more.",
    wrongAndWait: (time: string): string => `The code is wrong. You can try again in ${time}.`,
    wait: (time: string): string => `Too many wrong codes. You can try again in ${time}.`,
  },
  other: {
    passkey: "Use a passkey",
    totp: "Use the authenticator app",
    emailOtp: "Get a code by email",
    recoveryCode: "Use a recovery code",
  },
  address: {
    title: { insecure: "This page needs https", elsewhere: "Sign in at another address" },
    text: {
      insecure: "At an http address, others on the network could read your password. Nothing was sent.",
      elsewhere: "The service accepts no sign-in at this address. Nothing was sent.",
    },
    open: (host: string): string => `Go to ${host}`,
    ask: "Ask your administrator for the https address of this service.",
  },
  startAgain: "Start again",
  demo: {
    title: "Try it",
    about: (name: Isolated): string =>
      `${name} knows who may do what on an energy platform: from the country, through installers, to each house and its devices.`,
    stories: {
      why: "Why can Tom read the battery, but not manage it?",
      sale: "A house is sold: hand over its devices",
      past: "Who had access to the house in the last 30 days?",
    },
    as: (name: Isolated): string => `As ${name}`,
    people: "Or sign in as one of these people, with one click",
    docs: "The interface for programs",
    note: "Only in development: a service in production does not have this list.",
  },
};
