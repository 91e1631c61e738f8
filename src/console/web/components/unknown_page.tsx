import { texts } from "../language.ts";
import { useTitle } from "../use_title.ts";
import { Link } from "./link.tsx";

/** The page of an unknown address. */
export function UnknownPage() {
  const { title, text, back } = texts.value.unknownPage;
  useTitle(title);
  return (
    <main class="alone">
      <h1>{title}</h1>
      <p>{text}</p>
      <Link to="/">{back}</Link>
    </main>
  );
}
