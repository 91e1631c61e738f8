import { useSignal } from "@preact/signals";
import { api, dataOf } from "../../api.ts";
import { bindTo, Field, ProblemForm } from "../../components/form.tsx";
import { say } from "../../components/notice.tsx";
import { texts } from "../../language.ts";
import type { Account } from "../../me.ts";
import { reloadAll } from "../../use_load.ts";

/** What the user calls themselves. */
export function OwnName({ account: { name, language } }: { readonly account: Account }) {
  const { ownName: words } = texts.value.people;
  const typed = useSignal(name ?? "");
  const save = async (): Promise<void> => {
    await dataOf(api.PUT("/user", { body: { language, name: typed.value.trim() || null } }));
    say(words.saved);
    reloadAll();
  };
  return (
    <section class="card">
      <h2 class="title">{words.label}</h2>
      <p class="hint">{words.hint}</p>
      <ProblemForm
        submit={words.save}
        working={texts.value.accountData.language.saving}
        onSubmit={save}
        describe={({ status }) => status === 400 ? words.fault : undefined}
      >
        <Field label={words.label} {...bindTo(typed)} />
      </ProblemForm>
    </section>
  );
}
