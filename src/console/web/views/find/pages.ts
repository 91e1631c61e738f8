import { texts } from "../../language.ts";
import { matchesPhrase } from "./words.ts";

/** A page of the console that is not about one thing. */
export interface PlainPage {
  readonly title: string;
  readonly address: string;
}

/** Those of `VIEWS`, which this file must not import: it is part of one. */
const VIEWS = ["home", "role", "why", "changes", "devices", "people", "account"] as const;

/** Returns the views, which are shown before anything is typed. */
function listViews(): PlainPage[] {
  const { views } = texts.value;
  return VIEWS.map((name) => ({ title: views[name], address: `/${name}` }));
}

function listAccountPages(): PlainPage[] {
  const { accountSecurity: security, accountData: data } = texts.value;
  const tab = (name: keyof typeof data.tabs): PlainPage => ({
    title: data.tabs[name],
    address: `/account?tab=${name}`,
  });
  return [
    { title: security.tabs.security, address: "/account" },
    tab("profile"),
    tab("sessions"),
    tab("log"),
    tab("data"),
    { title: security.password.title, address: "/account/password" },
    { title: security.passkey.title, address: "/account/passkey" },
    { title: security.totp.title, address: "/account/totp" },
    { title: security.emailOtp.title, address: "/account/email-otp" },
    { title: security.overview.recoveryCodes, address: "/account/recovery-codes" },
    { title: data.address.title, address: "/account/address" },
  ];
}

/** Returns the pages whose titles have words that begin like the typed ones; without any, the views. */
export function findPages(typed: string): PlainPage[] {
  if (typed === "") return listViews();
  return [...listViews(), ...listAccountPages()].filter(({ title }) => matchesPhrase(title, typed));
}
