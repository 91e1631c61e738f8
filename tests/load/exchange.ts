import type { RequestKind } from "./mix.ts";

/** What one client works with. Nobody else does. */
export interface ClientPlace {
  readonly number: number;
  /** Accounts that it signs in to in turn; all of them are members of the workspace. */
  readonly emails: readonly string[];
  readonly password: string;
  readonly workspaceId: number;
  /** A role below the workspace. */
  readonly teamId: number;
  /** A device of the workspace. */
  readonly nodeId: string;
  /** A role of the hierarchy whose members they are as well. */
  readonly seenRoleId: number;
  readonly checkedRoleIds: readonly number[];
}

/** One request, and what is to be done with the body of its success. */
export interface Exchange {
  readonly kind: RequestKind;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly accept?: (body: string) => void;
  /** Whether the body of a success tells that it was none. */
  readonly isWrong?: (body: string) => boolean;
}

/** A request to which its token and the type of its body (JSON where none is given) are still to be added. */
export type Draft = Omit<Exchange, "headers"> & { readonly token?: string; readonly type?: string };
