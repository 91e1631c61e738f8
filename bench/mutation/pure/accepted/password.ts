import type { Acceptance } from "./acceptance.ts";

export const OF_PASSWORD: readonly Acceptance[] = [
  {
    target: "accounts/password/rules",
    lineText: 'if (password.length > MAX_UNNORMALIZED_LENGTH) return "PASSWORD_TOO_LONG";',
    changes: [
      ["password.length > MAX_UNNORMALIZED_LENGTH", "false"],
      ["password.length > MAX_UNNORMALIZED_LENGTH", "password.length >= MAX_UNNORMALIZED_LENGTH"],
    ],
    reason: "Only slower: such a text is still too long after normalization.",
  },
  {
    target: "accounts/password/rules",
    lineText: 'return text.normalize("NFKC").toLowerCase().normalize("NFKC");',
    changes: [['text.normalize("NFKC").toLowerCase()', 'text.normalize("NFKC").toUpperCase()']],
    reason: "Both ignore case; the results differ only for letters such as ß.",
  },
];
