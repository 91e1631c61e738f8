import * as v from "valibot";

export const RecoveryCodeSchema = v.strictObject({
  recoveryCode: v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(64),
    v.description("Case, hyphens and spaces do not matter; O is read as 0, I and L as 1"),
  ),
});
