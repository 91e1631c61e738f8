import { api, dataOf } from "../../api.ts";
import type { AsOf } from "../../components/as_of.tsx";
import type { Page, PageStart } from "../../use_pages.ts";
import type { Part } from "./neighbourhood.ts";

/** Children of the focus in one page. */
export const CHILDREN = 24;

/** What a picture is asked for by. */
export interface Subject {
  readonly focusId: number;
  /** Whose rights it shows; undefined for the viewer. */
  readonly email: string | undefined;
  /** The moment in the past that it shows; undefined for now. */
  readonly asOf: AsOf | undefined;
}

/** The focus, the roles above it that the viewer sees, and a page of its children; no roles if they do not see it. */
export async function loadNeighbourhood(
  { focusId, email, asOf }: Subject,
  start: PageStart,
  signal: AbortSignal,
): Promise<Page<Part>> {
  const { role, nextCursor, ...around } = await dataOf(
    api.POST("/v1/role/{roleId}/neighbourhood/query", {
      params: { path: { roleId: focusId }, query: { limit: CHILDREN, ...start } },
      body: { ...email !== undefined && { userEmail: email }, ...asOf !== undefined && { asOf } },
      signal,
    }),
  );
  // The picture has them in this order where nothing else decides.
  const roles = role.toSorted((a, b) => a.id - b.id);
  return { items: [{ ...around, focusId, roles }], next: nextCursor };
}
