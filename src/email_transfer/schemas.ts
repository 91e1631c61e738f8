import * as v from "valibot";
import { EmailSchema } from "../http/mail_query.ts";

export const InitiateTransferSchema = v.strictObject({ email: EmailSchema });

export const CompleteTransferSchema = v.strictObject({
  otp: v.pipe(
    v.string(),
    v.length(6),
    v.description("The code that was mailed to the new address; case does not matter"),
  ),
});

export const UndoTransferSchema = v.strictObject({
  token: v.pipe(v.string(), v.minLength(1), v.maxLength(128), v.description("The token in the mailed link")),
});
