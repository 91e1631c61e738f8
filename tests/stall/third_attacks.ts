import { type Attack, crowdOf, type Strike } from "./attack.ts";

/** URLs as long as the runtime allows beside the other headers: they are parsed before the caller is known. */

const URL_LENGTH = 60_000;

/** As many of the items as fit. */
function filled(itemOf: (i: number) => string, separator: string): string {
  let text = itemOf(0);
  for (let i = 1; text.length < URL_LENGTH; i++) text += separator + itemOf(i);
  return text;
}

function ask(query: string, path: string, token?: string): Strike {
  return crowdOf({ connections: 16, method: "GET", path: `${path}?${query}`, ...(token && { token }) });
}

/** A header as long as the URLs above. */
function tell(name: string, path: string, token?: string): Strike {
  const headers = { "Accept-Encoding": "gzip", [name]: filled(() => "a", ",") };
  return crowdOf({ connections: 16, method: "GET", path, headers, ...(token && { token }) });
}

export const THIRD_ATTACKS: readonly Attack[] = [
  {
    name: "a URL of unknown parameters, of strangers",
    answers: [400],
    prepare: () => Promise.resolve(ask(filled((i) => i.toString(36), "&"), "/healthz")),
  },
  {
    name: "a URL of unknown parameters",
    answers: [400],
    async prepare(scene) {
      return ask(filled((i) => i.toString(36), "&"), "/v1/device", (await scene.addPerson()).token);
    },
  },
  {
    name: "a URL of one parameter again and again",
    answers: [400],
    async prepare(scene) {
      return ask(filled(() => "id=1", "&"), "/v1/role", (await scene.addPerson()).token);
    },
  },
  {
    name: "a URL of a list of 29,000 ids",
    answers: [400],
    async prepare(scene) {
      return ask(`id=${filled(() => "1", ",")}`, "/v1/role", (await scene.addPerson()).token);
    },
  },
  {
    name: "the document of operations, for who has 30,000 versions of it",
    answers: [200],
    prepare: () => Promise.resolve(tell("If-None-Match", "/openapi.json")),
  },
  {
    name: "the document of operations, for who takes 30,000 encodings",
    answers: [200],
    prepare: () => Promise.resolve(tell("Accept-Encoding", "/openapi.json")),
  },
  {
    name: "a list, with 30,000 directives of how old it may be",
    answers: [200],
    async prepare(scene) {
      return tell("Cache-Control", "/v1/role", (await scene.addPerson()).token);
    },
  },
];
