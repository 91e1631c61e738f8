import { api, dataOf } from "../../api.ts";
import { AskButton } from "../../components/ask_button.tsx";
import { say } from "../../components/notice.tsx";
import { texts } from "../../language.ts";
import type { Member } from "../../schemas.ts";

/** A button that signs a person out everywhere, after a question. `member`: any membership of theirs. */
export function EndSessions({ member: { id, roleId, userEmail } }: { readonly member: Member }) {
  const { endSessions: words } = texts.value.people;
  const end = async (): Promise<void> => {
    const params = { path: { roleId, memberId: id } };
    const { ended } = await dataOf(api.DELETE("/v1/role/{roleId}/member/{memberId}/session", { params }));
    say(words.done(ended));
  };
  return (
    <AskButton
      class="loss"
      button={words.open}
      title={words.title}
      about={userEmail}
      submit={words.submit}
      onSubmit={end}
      isLoss
    >
      <p>{words.text}</p>
    </AskButton>
  );
}
