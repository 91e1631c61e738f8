/** Whether a URL names a database file. In-memory files do not count: they would be lost at the end. */
export function isFileUrl(text: string): boolean {
  if (!/^file:[^:?#]+(\?.*)?$/.test(text) || text.includes(":memory:")) return false;
  try {
    return filePath(text) !== "";
  } catch {
    return false;
  }
}

/**
 * Returns the path in a `file:` URL. Throws a `TypeError` on `:memory:`: each connection would have its own database. A
 * `URIError` means that it is not percent-encoded.
 */
export function filePath(url: string): string {
  const path = decodeURIComponent(url.replace(/^file:(\/\/[^/]*)?/, "").replace(/[?#].*$/, ""));
  if (path === "" || path === ":memory:") {
    throw new TypeError('Cannot open the database: name a file, for example "file:data/rolegrid.db"');
  }
  return path;
}
