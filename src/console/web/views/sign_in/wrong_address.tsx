import type { AddressFault } from "../../address.ts";
import { Heading } from "../../components/heading.tsx";
import { LanguageChoice } from "../../components/language_choice.tsx";
import { texts } from "../../language.ts";
import { page } from "../../page.ts";
import { ROOT } from "../../router.ts";
import { useTitle } from "../../use_title.ts";

/** In place of the sign-in, at an address where it cannot work: what to do. */
export function WrongAddress({ fault }: { readonly fault: AddressFault }) {
  const { title, text, open, ask } = texts.value.signIn.address;
  useTitle(title[fault]);
  return (
    <main class="alone" id="content">
      <p class="brand">{page.issuerName}</p>
      <Heading>{title[fault]}</Heading>
      <p>{text[fault]}</p>
      {page.origin.startsWith("https:")
        ? (
          <p class="actions">
            <a class="button" href={page.origin + ROOT}>{open(new URL(page.origin).host)}</a>
          </p>
        )
        : <p>{ask}</p>}
      <LanguageChoice />
    </main>
  );
}
