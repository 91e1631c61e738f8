import * as v from "valibot";
import { text } from "../../http/common_schemas.ts";
import { EmailSchema } from "../../http/mail_query.ts";
import { SixCharactersSchema } from "../../identity/schemas.ts";

export const InitiateTransferSchema = v.strictObject({ email: EmailSchema });

export const CompleteTransferSchema = v.strictObject({
  otp: v.pipe(
    SixCharactersSchema,
    v.description("The code that was mailed to the new address; case does not matter"),
  ),
});

export const UndoTransferSchema = v.strictObject({
  token: v.pipe(text(1, 128), v.description("The token in the mailed link")),
});
