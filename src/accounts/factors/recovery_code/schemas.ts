import * as v from "valibot";
import { text } from "../../../http/common_schemas.ts";

export const RecoveryCodeSchema = v.strictObject({
  recoveryCode: v.pipe(
    text(1, 64),
    v.description("Case, hyphens and spaces do not matter; O is read as 0, I and L as 1"),
  ),
});
