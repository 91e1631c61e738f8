import { raw, render } from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { declaredIn } from "../mail/mail_text.ts";
import * as known from "./known_address_queries.ts";
import * as link from "./password_link_queries.ts";
import * as security from "./security_queries.ts";
import type { SecurityResult } from "./security_result.ts";
import * as session from "./session_queries.ts";
import * as user from "./user_queries.ts";

/** The parts of the query modules in this folder for statements that are still texts. */

export const ADDRESS_IS_KNOWN: string = render(known.ADDRESS_IS_KNOWN);

export function rememberAddress(user: string, source: string): Statement {
  return known.rememberAddress(declaredIn(user, source), raw(user), raw(source));
}

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

export function hasActiveFactor(user: string): string {
  return render(security.hasActiveFactor(raw(user)));
}

export function whenResult(...results: SecurityResult[]): string {
  return render(security.whenResult(...results));
}

interface NewSession {
  readonly id: string;
  readonly user: string;
  readonly condition: string;
}

export function endSurplusSessions({ id, user, condition }: NewSession): Statement {
  const declared = declaredIn(id, user, condition);
  return session.endSurplusSessions(declared, { id: raw(id), user: raw(user), condition: raw(condition) });
}
