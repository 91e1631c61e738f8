/** The content type of line protocol, and the default. */
export const LINE_PROTOCOL_TYPE = "text/plain";

/** Names the content types that `readPoints` accepts. */
export const POINTS_TYPE_MESSAGE =
  "The request body must be sent as application/json, or as text/plain for line protocol";
