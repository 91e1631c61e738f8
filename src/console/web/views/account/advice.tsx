import { Link } from "../../components/link.tsx";
import { Phrase } from "../../components/phrase.tsx";
import { texts } from "../../language.ts";

/** What to do about something that somebody does not recognize; `{change}` leads to where the password is changed. */
export function Advice({ text }: { readonly text: string }) {
  const change = <Link to="/account">{texts.value.accountData.changePassword}</Link>;
  return <Phrase text={text} parts={{ change }} />;
}
