import { useSignal } from "@preact/signals";
import { Choice } from "../../components/choice.tsx";
import { Demanded } from "../../components/demanded.tsx";
import { say } from "../../components/notice.tsx";
import { PersonLink } from "../../components/person_link.tsx";
import { TimeField } from "../../components/time_field.tsx";
import { texts } from "../../language.ts";
import { endOfDay, readLocal, toLocal } from "../../local_time.ts";
import { loadPolicy } from "../../policy.ts";
import type { Demand, Policy, Role } from "../../schemas.ts";
import { SudoDialog } from "../account/sudo_dialog.tsx";
import { ChangeFrame, closeForm } from "./change_frame.tsx";
import { describeRefusal } from "./describe_refusal.ts";
import { PreviewForm } from "./preview_form.tsx";
import { type SetDemand, setDemand } from "./requests.ts";
import { RoleName } from "./role_name.tsx";
import { usePreview } from "./use_preview.ts";

/** How far ahead a demand can be planned. */
const MOST_DAYS = 400;

interface DemandFormProps {
  readonly role: Role;
  /** What the role demanded when the form was opened. */
  readonly policy: Policy;
}

/** The form for what a role demands of its members. */
export function DemandForm({ role, policy }: DemandFormProps) {
  const { policy: words, options } = texts.value.demands;
  const chosen = useSignal<Demand>(policy.secondFactor);
  const firstTime = policy.from === null ? "" : toLocal(new Date(policy.from));
  const typed = useSignal({ text: firstTime, isIncomplete: false });
  const lifts = chosen.value === "none";
  const { text, isIncomplete } = typed.value;
  // An unchanged time keeps its seconds, which the field lacks.
  const from = lifts || text === ""
    ? undefined
    : text === firstTime
    ? policy.from ?? undefined
    : readLocal(text);
  const fault = lifts ? undefined : faultOf(text, from, isIncomplete);
  const isSame = chosen.value === policy.secondFactor && (from ?? null) === policy.from;
  const request = fault !== undefined || isSame ? undefined : setDemand(role.id, chosen.value, from);
  const preview = usePreview(request);
  const { shown } = preview;
  const hasUnmet = (shown?.unmet?.count ?? 0) > 0;
  return (
    <>
      <ChangeFrame title={words.formTitle(<RoleName role={role} />)}>
        <PreviewForm
          {...{ request, preview }}
          basis={{ was: policy, look: () => loadPolicy(role.id) }}
          missing={fault === undefined ? words.unchanged : ""}
          submit={lifts ? words.lift : words.set}
          working={words.working}
          isLoss={hasUnmet}
          describe={(problem, left) => describeRefusal(problem, left, words.forbidden)}
          onClose={closeForm}
          onMade={() => {
            closeForm();
            say(lifts ? words.lifted : words.done);
          }}
          effect={shown && <DemandEffect shown={shown} />}
        >
          <Choice
            label={words.what}
            value={chosen.value}
            options={options}
            onValue={(value) => chosen.value = value}
          />
          {!lifts && (
            <TimeField
              label={words.from}
              hint={words.fromHint(Intl.DateTimeFormat().resolvedOptions().timeZone)}
              value={text}
              onValue={(text, isIncomplete) => typed.value = { text, isIncomplete }}
              fault={fault}
              choices={[
                [words.choices.now, ""],
                [words.choices.week, endOfDay(7)],
                [words.choices.month, endOfDay(30)],
              ]}
            />
          )}
        </PreviewForm>
      </ChangeFrame>
      {/* Not within the frame, which Escape closes. */}
      <SudoDialog />
    </>
  );
}

function faultOf(text: string, from: string | undefined, isIncomplete: boolean): string | undefined {
  const { change: { member }, demands: { policy: words } } = texts.value;
  if (isIncomplete || (text !== "" && from === undefined)) return member.incomplete;
  if (from === undefined) return undefined;
  const ahead = Date.parse(from) - Date.now();
  if (ahead <= 0) return member.past;
  return ahead > MOST_DAYS * 86_400_000 ? words.tooFar(MOST_DAYS) : undefined;
}

/** What the role will demand, and who has not met that yet. */
function DemandEffect({ shown: { authenticationPolicy, unmet } }: { readonly shown: SetDemand }) {
  const { demands: { policy: words }, change: { effect } } = texts.value;
  const { secondFactor } = authenticationPolicy;
  // Addresses are only for those who know them anyhow.
  const named = unmet?.named ?? [];
  return (
    <div class="effect">
      <div class="effect-box">
        <p>
          <Demanded policy={authenticationPolicy} />
        </p>
        {secondFactor === "none" ? <p>{words.liftText}</p> : (
          <>
            <p>{unmet === undefined ? words.unmetHidden : words.unmet(unmet.count)}</p>
            {named.length > 0 && (
              <ul class="rows">
                {named.map((email) => (
                  <li key={email}>
                    <PersonLink email={email} />
                  </li>
                ))}
                {(unmet?.count ?? 0) > named.length && (
                  <li class="hint">{effect.more((unmet?.count ?? 0) - named.length, 0)}</li>
                )}
              </ul>
            )}
            <p class="hint">{words.keys}</p>
          </>
        )}
      </div>
      <p class="hint">{words.noUndo}</p>
    </div>
  );
}
