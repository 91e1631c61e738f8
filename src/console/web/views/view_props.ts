/** Props of each view. */
export interface ViewProps {
  /** The path after the view's name: `["12"]` for `/role/12`. */
  readonly parts: readonly string[];
}
