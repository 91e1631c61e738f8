import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Choice } from "../../components/choice.tsx";
import { bindTo } from "../../components/form.tsx";
import { say } from "../../components/notice.tsx";
import { TimeField } from "../../components/time_field.tsx";
import { texts } from "../../language.ts";
import { endOfDay } from "../../local_time.ts";
import { loadPolicy } from "../../policy.ts";
import type { Demand, Policy, Role } from "../../schemas.ts";
import { useMoment } from "../../use_moment.ts";
import { ChangeFrame, closeForm } from "./change_frame.tsx";
import { describeWith } from "./describe_refusal.ts";
import { DemandEffect, DemandEffects } from "./demand_effect.tsx";
import { OtherRoles } from "./other_roles.tsx";
import { PreviewForm } from "./preview_form.tsx";
import { RoleName } from "./role_name.tsx";
import { demandsAlready, type Look, MOST_ROLES, setMany, setOne } from "./set_demands.ts";
import { StepsNote, useSteps } from "./steps.tsx";
import { usePreview } from "./use_preview.ts";

/** How far ahead a demand can be planned. */
const MOST_DAYS = 400;

interface DemandFormProps {
  readonly role: Role;
  /** What the role demanded when the form was opened. */
  readonly policy: Policy;
}

/** The form for what a role, and others if they are chosen, demand of their members. */
export function DemandForm({ role, policy }: DemandFormProps) {
  const { demands: { policy: words, several, options }, change: { many } } = texts.value;
  const chosen = useSignal<Demand>(policy.secondFactor);
  const moment = useMoment(policy.from ?? undefined);
  const lifts = chosen.value === "none";
  const from = lifts ? undefined : moment.at;
  const fault = lifts ? undefined : moment.fault ?? faultOf(from);
  const wanted = { secondFactor: chosen.value, from };
  const others = useSignal<readonly Role[]>([]);
  const isMany = others.value.length > 0;
  const known = useRef(new Map<string, Look>());
  const stepping = useSteps<Look>();
  const request = fault !== undefined || (!isMany && demandsAlready(policy, wanted))
    ? undefined
    : isMany
    ? setMany([role, ...others.value], wanted, known.current, stepping)
    : setOne(role, policy, wanted);
  const { askAgain, ...preview } = usePreview(request);
  const lookAgain = (): void => {
    known.current.clear();
    askAgain();
  };
  const looks = preview.shown?.looks;
  const due = looks?.filter(({ shown }) => shown !== undefined) ?? [];
  const hasUnmet = due.some(({ shown }) => (shown?.unmet?.count ?? 0) > 0);
  const [only] = due;
  const submit = lifts ? words.lift : words.set;
  return (
    <ChangeFrame title={words.formTitle(<RoleName role={role} />)}>
      <PreviewForm
        request={request}
        preview={{ ...preview, askAgain: lookAgain }}
        basis={isMany ? undefined : { was: policy, look: () => loadPolicy(role.id) }}
        missing={fault === undefined ? words.unchanged : ""}
        submit={isMany && due.length > 0 ? `${submit} (${several.roles(due.length)})` : submit}
        working={isMany ? many.working(stepping.taken ?? 0, due.length) : undefined}
        isLoss={hasUnmet}
        isConfirmed={due.length > 0}
        describe={describeWith(words.forbidden)}
        onMade={({ made, left }) => {
          if (left.length === 0) closeForm();
          else {
            // What is left stays in the form.
            others.value = left.filter(({ id }) => id !== role.id);
            lookAgain();
          }
          if (!isMany) say(lifts ? words.lifted : words.done);
          else if (made > 0) say(several.done(made));
        }}
        effect={looks === undefined
          ? undefined
          : isMany
          ? <DemandEffects {...{ wanted, looks }} onProven={lookAgain} />
          : only?.shown && <DemandEffect shown={only.shown} />}
      >
        <Choice label={words.what} options={options} {...bindTo(chosen)} />
        {!lifts && <p class="hint">{words.own}</p>}
        {!lifts && (
          <TimeField
            label={words.from}
            hint={words.fromHint}
            moment={moment}
            fault={fault}
            choices={[
              [words.choices.now, ""],
              [words.choices.week, endOfDay(7)],
              [words.choices.month, endOfDay(30)],
            ]}
          />
        )}
        <OtherRoles
          role={role}
          others={others.value}
          onOthers={(chosen) => others.value = chosen}
          most={MOST_ROLES - 1}
        />
        <StepsNote
          stepping={stepping}
          keyOf={({ role }) => role.id}
          name={({ role }) => <RoleName role={role} />}
          forbidden={words.forbidden}
        />
      </PreviewForm>
    </ChangeFrame>
  );
}

function faultOf(from: string | undefined): string | undefined {
  const { change: { member }, demands: { policy: words } } = texts.value;
  if (from === undefined) return undefined;
  const ahead = Date.parse(from) - Date.now();
  if (ahead <= 0) return member.past;
  return ahead > MOST_DAYS * 86_400_000 ? words.tooFar(MOST_DAYS) : undefined;
}
