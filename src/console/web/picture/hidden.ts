/** How much around a role is not drawn. */
export interface Hidden {
  readonly parents: number;
  readonly children: number;
}
