/** A copy must not be used any more. */
export class CopyLostError extends Error {
  override readonly name = "CopyLostError";
}
