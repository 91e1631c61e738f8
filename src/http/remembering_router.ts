import type { Result, Router } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";

/**
 * A router that remembers which handlers the paths without parameters have: most requests are for one of these, and to
 * match it anew takes longer than all guards. Hono's faster router cannot have `/query` beside `/:memberId`.
 */
export class RememberingRouter<T> implements Router<T> {
  readonly name = "RememberingRouter";
  readonly #router = new TrieRouter<T>();
  readonly #methods = new Set<string>();
  /** By path, then by method: no more than are registered, whatever clients send. */
  readonly #known = new Map<string, Map<string, Result<T>>>();

  add(method: string, path: string, handler: T): void {
    this.#router.add(method, path, handler);
    this.#methods.add(method);
    if (!/[:*]/.test(path)) this.#known.set(path, new Map());
  }

  match(method: string, path: string): Result<T> {
    const ofPath = this.#known.get(path);
    const known = ofPath?.get(method);
    if (known !== undefined) return known;
    const result = this.#router.match(method, path);
    if (this.#methods.has(method)) ofPath?.set(method, result);
    return result;
  }
}
