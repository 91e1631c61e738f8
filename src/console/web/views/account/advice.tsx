import { Link } from "../../components/link.tsx";
import { Phrase } from "../../components/sentence.tsx";
import { texts } from "../../language.ts";

/** Advice about an unrecognized event; `{change}` links to the change of the password. */
export function Advice({ text }: { readonly text: string }) {
  const change = <Link to="/account">{texts.value.accountData.changePassword}</Link>;
  return <Phrase text={text} parts={{ change }} />;
}
