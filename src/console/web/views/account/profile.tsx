import { useSignal } from "@preact/signals";
import { api, dataOf } from "../../api.ts";
import { Choice } from "../../components/choice.tsx";
import { ProblemForm } from "../../components/form.tsx";
import { Link } from "../../components/link.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/notice.tsx";
import { Phrase } from "../../components/sentence.tsx";
import { chooseLanguage, isLanguage, type Language, language, LANGUAGES, texts } from "../../language.ts";
import { me } from "../../me.ts";
import { reloadAll } from "../../use_load.ts";
import { OwnName } from "./own_name.tsx";

/** The address of this part of the account. */
export const PROFILE = "/account?tab=profile";

/** The user's address, name and language. */
export function Profile() {
  const { address } = texts.value.accountData;
  return (
    <>
      <section class="card">
        <h2 class="title">{texts.value.words.email}</h2>
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

/** One language for the page and for mails. */
function LanguageOfAll() {
  const { language: words } = texts.value.accountData;
  const chosen = useSignal<Language | undefined>(undefined);
  const ofMails = me.value?.language ?? "";
  const names = new Intl.DisplayNames(language.value, { type: "language" });
  const save = async (): Promise<void> => {
    const next = chosen.value ?? language.value;
    await dataOf(api.PUT("/user", { body: { language: next } }));
    await chooseLanguage(next);
    chosen.value = undefined;
    say(texts.value.accountData.language.saved);
    reloadAll();
  };
  return (
    <section class="card">
      <h2 class="title">{texts.value.account.language}</h2>
      <p class="hint">
        {isLanguage(ofMails) && ofMails !== language.value
          ? words.differ(names.of(language.value) ?? "", names.of(ofMails) ?? "")
          : words.intro}
      </p>
      <ProblemForm submit={words.save} onSubmit={save}>
        <Choice
          label={words.label}
          value={chosen.value ?? language.value}
          options={LANGUAGES}
          onValue={(value) => chosen.value = value}
        />
      </ProblemForm>
    </section>
  );
}
