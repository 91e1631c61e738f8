/** The numbers of neighbours of a role that are not drawn. */
export interface Hidden {
  readonly parents: number;
  readonly children: number;
}
