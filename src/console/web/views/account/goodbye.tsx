import { signal } from "@preact/signals";
import { Heading } from "../../components/heading.tsx";
import { texts } from "../../language.ts";
import { page } from "../../page.ts";
import { ROOT } from "../../router.ts";
import { useTitle } from "../../use_title.ts";

/** Whether the account was deleted on this page. */
export const hasLeft = signal(false);

/** The last page of an account. */
export function Goodbye() {
  const { title, text, signIn } = texts.value.accountData.goodbye;
  useTitle(title);
  return (
    <main class="alone">
      <p class="brand">{page.issuerName}</p>
      <Heading>{title}</Heading>
      <p>{text}</p>
      <a href={ROOT}>{signIn}</a>
    </main>
  );
}
