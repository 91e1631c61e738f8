import { raw } from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { declaredIn } from "../mail/mail_text.ts";
import * as link from "./password_link_queries.ts";
import * as user from "./user_queries.ts";

/** The parts of the query modules in this folder for statements that are still texts. */

export function insertUser({ language, source }: { language: string; source: string }): Statement {
  return user.insertUser(declaredIn(language, source), { language: raw(language), source: raw(source) });
}

interface UserChange {
  readonly email?: string;
  readonly language?: string;
  readonly passwordHash?: string;
}

export function updateUser(change: UserChange, condition: string, returning?: string): Statement {
  const changes = Object.fromEntries(Object.entries(change).map(([name, value]) => [name, raw(value)]));
  const declared = declaredIn(...Object.values(change), condition, returning ?? "");
  return user.updateUser(
    declared,
    changes,
    raw(condition),
    returning === undefined ? undefined : raw(returning),
  );
}

interface NewPasswordLink {
  readonly purpose: "invitation" | "reset";
  readonly user: string;
  readonly expiresAt: string;
  readonly source: string;
}

export function insertPasswordLink({ purpose, user, expiresAt, source }: NewPasswordLink): Statement {
  return link.insertPasswordLink(declaredIn(user, expiresAt, source), {
    purpose,
    user: raw(user),
    expiresAt: raw(expiresAt),
    source: raw(source),
  });
}
