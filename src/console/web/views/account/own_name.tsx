import { useSignal } from "@preact/signals";
import { api, dataOf } from "../../api.ts";
import { bindTo, Field, ProblemForm } from "../../components/form.tsx";
import { say } from "../../components/notice.tsx";
import { texts } from "../../language.ts";
import type { Account } from "../../me.ts";
import { Problem } from "../../problem.ts";
import { reloadAll } from "../../use_load.ts";

/** What the user calls themselves. */
export function OwnName({ account: { name, language } }: { readonly account: Account }) {
  const { ownName: words } = texts.value.people;
  const typed = useSignal(name ?? "");
  /** The name that the service refused. */
  const refused = useSignal<string | undefined>(undefined);
  const save = async (): Promise<void> => {
    const sent = typed.value;
    try {
      await dataOf(api.PUT("/user", { body: { language, name: sent.trim() || null } }));
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 400) throw error;
      refused.value = sent;
      return;
    }
    say(words.saved);
    reloadAll();
  };
  return (
    <section class="card">
      <h2 class="title">{texts.value.words.name}</h2>
      <ProblemForm submit={words.save} onSubmit={save}>
        <Field
          label={texts.value.words.name}
          autocomplete="name"
          hint={words.hint}
          fault={refused.value === typed.value ? words.fault : undefined}
          {...bindTo(typed)}
        />
      </ProblemForm>
    </section>
  );
}
