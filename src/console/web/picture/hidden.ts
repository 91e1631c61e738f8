/** The numbers of neighbours of a role that are not drawn. */
export interface Hidden {
  readonly parents: number;
  readonly children: number;
  /** Whether there may be more children. */
  readonly isLeast: boolean;
}

/** All neighbours are drawn. */
export const NONE_HIDDEN: Hidden = { parents: 0, children: 0, isLeast: false };
