import { render } from "../db/sql.ts";
import * as cascade from "./cascade_queries.ts";

/** The lists of `cascade_queries.ts` for statements that are still texts. */
export const DELETED_RELATIONS: string = render(cascade.DELETED_RELATIONS);
export const DELETED_DEVICES: string = render(cascade.DELETED_DEVICES);
