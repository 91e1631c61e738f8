import { Link } from "../../components/link.tsx";
import { Name } from "../../components/name.tsx";
import { Phrase } from "../../components/phrase.tsx";
import { texts } from "../../language.ts";
import { me } from "../../me.ts";
import { LanguageOfAll } from "./language.tsx";

/** Where this part of the account is. */
export const PROFILE = "/account?tab=profile";

/** By which address somebody is known, and in which language they are written to. */
export function Profile() {
  const { address } = texts.value.accountData;
  return (
    <>
      <section class="card">
        <h2 class="title">{address.part}</h2>
        {me.value && (
          <p>
            <Phrase text={address.current} parts={{ email: <Name>{me.value.email}</Name> }} />
          </p>
        )}
        <Link to="/account/address" class="button">{address.change}</Link>
      </section>
      <LanguageOfAll />
    </>
  );
}
