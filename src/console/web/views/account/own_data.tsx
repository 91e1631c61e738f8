import { api, dataOf } from "../../api.ts";
import { ProblemForm } from "../../components/form.tsx";
import { Link } from "../../components/link.tsx";
import { say } from "../../components/notice.tsx";
import { formatWait, texts } from "../../language.ts";
import type { Problem } from "../../problem.ts";
import { saveFile } from "../../save_file.ts";

/** The address of this part of the account. */
export const OWN_DATA = "/account?tab=data";

/** The user's stored data: export and deletion. */
export function OwnData() {
  const { leave } = texts.value.accountData;
  return (
    <>
      <Export />
      <section class="card">
        <h2 class="title">{leave.title}</h2>
        <p>{leave.intro}</p>
        <Link to="/account/delete" class="button">{leave.open}</Link>
      </section>
    </>
  );
}

function Export() {
  const { own } = texts.value.accountData;
  const save = async (): Promise<void> => {
    const file = await dataOf(api.GET("/user/export", { parseAs: "blob" }));
    saveFile(`account-${new Date().toISOString().slice(0, 10)}.json`, file);
    say(own.saved);
  };
  return (
    <section class="card">
      <h2 class="title">{own.title}</h2>
      <ProblemForm
        submit={texts.value.accountSecurity.recovery.download}
        onSubmit={save}
        describe={describeExport}
      >
        <p>{own.intro}</p>
      </ProblemForm>
    </section>
  );
}

function describeExport({ code }: Problem, left: number): string | undefined {
  return code === "TOO_MANY_EXPORTS" ? texts.value.accountData.own.running(formatWait(left)) : undefined;
}
