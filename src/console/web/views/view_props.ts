/** What each view is given. */
export interface ViewProps {
  /** What follows the view's name in the path: `["12"]` for `/role/12`. */
  readonly parts: readonly string[];
}
