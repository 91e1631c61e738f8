import type { Signal } from "@preact/signals";
import { Choice } from "../../components/choice.tsx";
import { bindTo } from "../../components/form.tsx";
import { type Language, LANGUAGES, texts } from "../../language.ts";

/** The choice of a language for the mail to a new member; at first, that of the page. */
export function MailLanguage({ chosen }: { readonly chosen: Signal<Language> }) {
  return <Choice label={texts.value.change.member.mailLanguage} options={LANGUAGES} {...bindTo(chosen)} />;
}
