import type { RequestKind } from "./mix.ts";

/** The data of one client, which no other client uses. */
export interface ClientPlace {
  readonly number: number;
  /** Accounts that it logs in to in turn, all of them members of the workspace. */
  readonly emails: readonly string[];
  readonly password: string;
  readonly workspaceId: number;
  /** A role below the workspace. */
  readonly teamId: number;
  /** A device of the workspace. */
  readonly nodeId: string;
  /** A role of the hierarchy that they are also members of. */
  readonly seenRoleId: number;
  readonly checkedRoleIds: readonly number[];
}

/** A request, and what to do with the body of its success. */
export interface Exchange {
  readonly kind: RequestKind;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly accept?: (body: string) => void;
  /** Whether the body of a success reports a failure. */
  readonly isWrong?: (body: string) => boolean;
}

/** A request before its token and its content type (JSON by default) are added. */
export type Draft = Omit<Exchange, "headers"> & { readonly token?: string; readonly type?: string };
