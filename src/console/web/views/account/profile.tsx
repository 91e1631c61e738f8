import { Link } from "../../components/link.tsx";
import { Name } from "../../components/name.tsx";
import { Phrase } from "../../components/phrase.tsx";
import { texts } from "../../language.ts";
import { me } from "../../me.ts";
import { LanguageOfAll } from "./language.tsx";
import { OwnName } from "./own_name.tsx";

/** The address of this part of the account. */
export const PROFILE = "/account?tab=profile";

/** The user's address, name and language. */
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
        <div class="actions">
          <Link to="/account/address" class="button">{address.change}</Link>
          {me.value && <Link to={`/person/${me.value.id}`} class="button">{texts.value.person.reach}</Link>}
        </div>
      </section>
      {me.value && <OwnName account={me.value} />}
      <LanguageOfAll />
    </>
  );
}
