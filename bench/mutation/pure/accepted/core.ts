import { type Acceptance, ANY_ENTRY, ANY_TEXT } from "./acceptance.ts";

export const OF_CORE: readonly Acceptance[] = [
  {
    target: "core/encoding",
    lineText: "if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return undefined;",
    changes: [
      [
        "!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1",
        "!/^[A-Za-z0-9_-]*$/.test(text) && text.length % 4 === 1",
      ],
      ["!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1", "false"],
      ["/^[A-Za-z0-9_-]*$/", "/[A-Za-z0-9_-]*$/"],
      ["/^[A-Za-z0-9_-]*$/", "/^[A-Za-z0-9_-]*/"],
      ["text.length % 4 === 1", "false"],
      ["text.length % 4", "text.length * 4"],
    ],
    reason:
      "For older runtimes, which throw where this one skips characters; encoding the bytes again reveals those.",
  },
  {
    target: "core/encoding",
    lineText: "const groups = bits.match(/.{1,5}/g) ?? [];",
    changes: [["[]", ANY_ENTRY]],
    reason: "There are no bytes: the entry is not a number, and so not a character.",
  },
  {
    target: "core/secrets",
    lineText: 'const [id = "", ivText = "", boxText = ""] = sealed.split(".");',
    changes: [['""', ANY_TEXT]],
    reason: "Neither the name of a key nor base64url: a missing part is refused like a wrong one.",
  },
  {
    target: "core/secrets",
    lineText: 'const master = await crypto.subtle.importKey("raw", key.bytes, "HKDF", false, ["deriveKey"]);',
    changes: [["false", "true"]],
    reason: "No key leaves the module, so nobody could export it.",
  },
  {
    target: "core/secrets",
    lineText: 'crypto.subtle.deriveKey(hkdf("rolegrid mac"), master, hmac, false, ["sign"]),',
    changes: [["false", "true"]],
    reason: "No key leaves the module, so nobody could export it.",
  },
  {
    target: "core/secrets",
    lineText:
      'crypto.subtle.deriveKey(hkdf("rolegrid seal"), master, { name: "AES-GCM", length: 256 }, false, [',
    changes: [["false", "true"]],
    reason: "No key leaves the module, so nobody could export it.",
  },
  {
    target: "core/secrets",
    lineText:
      'return encoder.encode(parts.map((part, i) => `${encoded[i]?.byteLength ?? 0}:${part}`).join(""));',
    changes: [["encoded[i]?.byteLength", "encoded[i].byteLength"]],
    reason: "For the types: each part has been encoded.",
  },
  {
    target: "core/keys",
    lineText: 'const [newest = "", ...older] = text.split(",");',
    changes: [['""', ANY_TEXT]],
    reason: "For the types: a split text has a first part.",
  },
  {
    target: "core/keys",
    lineText: 'const [id = "", base64, ...rest] = entry.trim().split(":");',
    changes: [['""', ANY_TEXT]],
    reason: "For the types: a split text has a first part.",
  },
  {
    target: "core/keys",
    lineText: "if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0) throw malformed;",
    changes: [
      ["!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0", "false"],
      [
        "!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0",
        "!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) && base64.length % 4 !== 0",
      ],
      ["/^[A-Za-z0-9+/]*={0,2}$/", "/[A-Za-z0-9+/]*={0,2}$/"],
      ["/^[A-Za-z0-9+/]*={0,2}$/", "/^[A-Za-z0-9+/]*={0,2}/"],
      ["base64.length % 4 !== 0", "false"],
    ],
    reason:
      "For older runtimes, which throw where this one skips characters; encoding the bytes again reveals those.",
  },
];
