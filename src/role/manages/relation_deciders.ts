import type { Deciders } from "../../db/thread/deciders.ts";
import { type Decide, deciderOf, type UndoFacts, undoing } from "../../changes/ruled.ts";
import { decideDelete, decideDeleteByAdministrator, type DeleteFacts } from "./delete_relation.ts";
import { decideMove, type MoveFacts, type MoveInput } from "./move_relation.ts";
import {
  decidePut,
  decidePutByAdministrator,
  decidePutByPassword,
  type PutFacts,
  type PutInput,
} from "./put_relation.ts";
import { decideUpdate, type UpdateFacts, type UpdateInput } from "./update_relation.ts";

/** The decisions about relations that a thread makes, by name; those of undos are of the inverse. */

type Undo<F, I> = Decide<F & UndoFacts, I & { readonly actorId: number }>;

const isThere = ({ relation }: PutFacts): boolean => relation !== null;
export const decideUndoOfDeletion: Undo<PutFacts, PutInput> = undoing(decidePut, { isOverwritten: isThere });
export const decideUndoOfMove: Undo<MoveFacts, MoveInput> = undoing(decideMove, { isOverwritten: isThere });
export const decideUndoOfUpdate: Undo<UpdateFacts, UpdateInput> = undoing(decideUpdate, {
  isGone: ({ relation }) => relation === null,
});

export const decideUndoOfMaking: Undo<DeleteFacts, object> = undoing(decideDelete, {
  isGone: ({ relation }) => relation === null,
});

export const RELATION_DECIDERS = {
  "put relation": deciderOf(decidePut),
  "put relation by administrator": deciderOf(decidePutByAdministrator),
  "put relation by password": deciderOf(decidePutByPassword),
  "update relation": deciderOf(decideUpdate),
  "move relation": deciderOf(decideMove),
  "delete relation": deciderOf(decideDelete),
  "delete relation by administrator": deciderOf(decideDeleteByAdministrator),
  "undo making of relation": deciderOf(decideUndoOfMaking),
  "undo deletion of relation": deciderOf(decideUndoOfDeletion),
  "undo update of relation": deciderOf(decideUndoOfUpdate),
  "undo move of relation": deciderOf(decideUndoOfMove),
} as const satisfies Deciders;
