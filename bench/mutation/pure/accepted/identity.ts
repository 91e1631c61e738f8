import { type Acceptance, ANY_ENTRY, ANY_TEXT } from "./acceptance.ts";

export const OF_IDENTITY: readonly Acceptance[] = [
  {
    target: "identity/token/refresh_token",
    lineText: 'const [, family = "", digits = "", mac = ""] = REFRESH_TOKEN.exec(text) ?? [];',
    changes: [['""', ANY_TEXT], ["[]", ANY_ENTRY]],
    reason: "Not a family either: such a text is refused as well.",
  },
  {
    target: "identity/token/refresh_token",
    lineText: "const equal = candidate.length === mac.length &&",
    changes: [["candidate.length === mac.length", "true"]],
    reason: "The pattern of a token only matches MACs of the right length.",
  },
  {
    target: "identity/token/role_key",
    lineText:
      'const [, text = "", digits = "", random = "", proof = "", sum = ""] = ROLE_KEY.exec(token) ?? [];',
    changes: [['""', ANY_TEXT], ["[]", ANY_ENTRY]],
    reason: "Such a text does not have the right checksum either.",
  },
  {
    target: "identity/token/role_key",
    lineText: "if (oldest !== undefined && remembered.size >= mostRemembered) remembered.delete(oldest);",
    changes: [["oldest !== undefined", "true"]],
    reason: "For the types: there is nothing to delete where it is undefined.",
  },
  {
    target: "identity/key_uses",
    lineText: "const GATHERED_MS = 10 * SECOND_MS;",
    changes: [["10 * SECOND_MS", "10 / SECOND_MS"]],
    reason: "Only writes less together: a key is still written once an hour.",
  },
  {
    target: "identity/key_uses",
    lineText: "clearTimeout(timer);",
    changes: [["clearTimeout(timer);", ";"]],
    reason: "Only frees the timer: when it ends, it finds nothing to write, or writes earlier.",
  },
  {
    target: "identity/token/signed_token",
    lineText: "remembered.delete(token);",
    changes: [["remembered.delete(token);", ";"]],
    reason: "Only frees memory: the times of a cached token are checked at every use.",
  },
  {
    target: "identity/token/signed_token",
    lineText: 'const key = keys.verificationKeys.get(kid ?? "");',
    changes: [['""', ANY_TEXT]],
    reason: "No key has either name.",
  },
  {
    target: "identity/token/signed_token",
    lineText: "if (oldest !== undefined && remembered.size >= rememberedTokens) remembered.delete(oldest);",
    changes: [["oldest !== undefined", "true"]],
    reason: "For the types: there is nothing to delete where it is undefined.",
  },
  {
    target: "identity/token/token_keys",
    lineText: "const result = v.safeParse(PrivateJwks, parseJson(text), { abortEarly: true });",
    changes: [["{ abortEarly: true }", "{}"], ["true", "false"]],
    reason: "Only slower: the first issue is reported.",
  },
  {
    target: "identity/token/token_keys",
    lineText: "if (signing === undefined) throw new RangeError(KEY_SET_SHAPE);",
    changes: [["signing === undefined", "false"], ["throw new RangeError(KEY_SET_SHAPE);", ";"]],
    reason: "For the types: a list of keys is never empty.",
  },
  {
    target: "identity/token/token_keys",
    lineText:
      'const publicKey = await crypto.subtle.importKey("jwk", { kty, crv, x }, "Ed25519", false, ["verify"]);',
    changes: [["false", "true"]],
    reason: "The public key is published anyway.",
  },
  {
    target: "identity/token/token_keys",
    lineText: "} catch (cause) {",
    changes: [[
      "{ throw new RangeError(`key ${position} is not a usable Ed25519 key`, { cause }); }",
      "{}",
    ]],
    reason: "For other runtimes: this one imports any 32 bytes.",
  },
  {
    target: "identity/token/token_keys",
    lineText: "throw new RangeError(`key ${position} is not a usable Ed25519 key`, { cause });",
    changes: [["`key ${position} is not a usable Ed25519 key`", "``"], ["{ cause }", "{}"]],
    reason: "For other runtimes: this one imports any 32 bytes.",
  },
  {
    target: "identity/token/token_keys",
    lineText: "} catch {",
    changes: [[
      "{ // The parser's own message quotes the text, which is a private key. throw new RangeError(KEY_SET_SHAPE); }",
      "{}",
    ]],
    reason: "A missing value is refused with the same message.",
  },
  {
    target: "identity/token/token_keys",
    lineText: "throw new RangeError(KEY_SET_SHAPE);",
    changes: [["throw new RangeError(KEY_SET_SHAPE);", ";"]],
    reason: "A missing value is refused with the same message.",
  },
  {
    target: "identity/factor/recovery_set",
    lineText: 'const [first = "", ...others] = codes;',
    changes: [['""', ANY_TEXT]],
    reason: "For the types: a set has codes.",
  },
];
