/** The graph was changed during each attempt to read it as a whole. */
export class GraphMovedError extends Error {
  override readonly name = "GraphMovedError";
}
