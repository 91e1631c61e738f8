/** A string in JSON, and the colon after it if it is a name. For valid JSON only, where it takes linear time. */
const STRING = /("(?:[^"\\]|\\.)*")(\s*:)?/g;

/**
 * Parses JSON like `JSON.parse`, also where names come from users.
 *
 * V8 confuses names with escapes: after a text with the name `"\\"`, it may read the name `"\n"` of the next one as `\`
 * (https://github.com/nodejs/node/issues/63785, in all its versions since 13.6). Names without escapes are read
 * correctly, so those with escapes are replaced before parsing and put back afterwards.
 *
 * Throws a `SyntaxError` as `JSON.parse` does.
 */
export function parseJson(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (!text.includes("\\")) return parsed;
  const mark = crypto.randomUUID();
  const placeholders = new Map<string, string>();
  const replaced = text.replace(STRING, (found, json: string, colon?: string) => {
    if (colon === undefined || !json.includes("\\")) return found;
    const placeholder = placeholders.get(json) ?? `${mark} ${placeholders.size}`;
    placeholders.set(json, placeholder);
    return `"${placeholder}":`;
  });
  if (placeholders.size === 0) return parsed;
  const names = new Map(Array.from(placeholders, ([json, placeholder]) => [placeholder, JSON.parse(json)]));
  return putBack(JSON.parse(replaced), names);
}

/** Puts names in the place of their placeholders, at any depth. Objects keep the order of their names. */
function putBack(root: unknown, names: ReadonlyMap<string, string>): unknown {
  const holder = { root };
  const unvisited: object[] = [holder];
  for (let parent = unvisited.pop(); parent !== undefined; parent = unvisited.pop()) {
    for (const [key, value] of Array.isArray(parent) ? parent.entries() : Object.entries(parent)) {
      if (typeof value !== "object" || value === null) continue;
      const child = Array.isArray(value) ? value : rename(value, names);
      Reflect.set(parent, key, child);
      unvisited.push(child);
    }
  }
  return holder.root;
}

/** Unlike an assignment, `Object.fromEntries` makes a property of `__proto__`, too. */
function rename(object: object, names: ReadonlyMap<string, string>): object {
  const entries = Object.entries(object);
  if (!entries.some(([name]) => names.has(name))) return object;
  return Object.fromEntries(entries.map(([name, value]) => [names.get(name) ?? name, value]));
}
