import { useSignal } from "@preact/signals";
import { api, dataOf } from "../../api.ts";
import { FormDialog } from "../../components/form_dialog.tsx";
import { say } from "../../components/notice.tsx";
import { texts } from "../../language.ts";
import type { Member } from "../../schemas.ts";

/** A button that signs a person out everywhere, after a question. `member`: any membership of theirs. */
export function EndSessions({ member: { id, roleId, userEmail } }: { readonly member: Member }) {
  const { endSessions: words } = texts.value.people;
  const isAsked = useSignal(false);
  const close = (): void => {
    isAsked.value = false;
  };
  const end = async (): Promise<void> => {
    const params = { path: { roleId, memberId: id } };
    const { ended } = await dataOf(api.DELETE("/v1/role/{roleId}/member/{memberId}/session", { params }));
    close();
    say(words.done(ended));
  };
  return (
    <>
      <button type="button" class="loss" onClick={() => isAsked.value = true}>{words.open}</button>
      {isAsked.value && (
        <FormDialog
          title={words.title}
          about={userEmail}
          onClose={close}
          submit={words.submit}
          onSubmit={end}
          isLoss
        >
          <p>{words.text}</p>
        </FormDialog>
      )}
    </>
  );
}
