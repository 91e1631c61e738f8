import { AppError, type ErrorCode } from "../../core/errors.ts";
import type { Point } from "./point.ts";

/** Returns why a point cannot be written, for its sender, or undefined. */
export type FindFault = (point: Point) => string | undefined;

/**
 * The refusal of a write because of some of its points. It tells them apart from those that could be written without
 * them, as far as this refusal goes.
 */
export class PointsRefused extends AppError {
  constructor(
    code: ErrorCode,
    readonly findFault: FindFault,
    options: { readonly message?: string; readonly acr?: string | undefined } = {},
  ) {
    super(code, options);
  }
}
