import { useSignal } from "@preact/signals";
import { Name, StrongName } from "../../components/name.tsx";
import { bindToRole, RoleField } from "../../components/role_field.tsx";
import { Sentence } from "../../components/sentence.tsx";
import { isolate, texts } from "../../language.ts";
import { navigate, query, withQuery } from "../../router.ts";
import type { Role } from "../../schemas.ts";
import { useMoment } from "../../use_moment.ts";
import { ChangeFrame, closeForm, Instead } from "../change/change_frame.tsx";
import { PreviewForm } from "../change/preview_form.tsx";
import { usePreview } from "../change/use_preview.ts";
import { describeMonitors } from "./describe_monitors.tsx";
import { loadDevice, type Monitors, type WatchedDevice } from "./device.ts";
import { nameOf } from "../../device_names.ts";
import { putMonitors, removeMonitors, sayDone } from "./device_requests.ts";
import { MomentField } from "./moment_field.tsx";
import { PeriodText } from "./period_text.tsx";

/** The form that lets another role read a device, for a period. */
export function AttachForm({ watched: { device } }: { readonly watched: WatchedDevice }) {
  const { attach: words, choices } = texts.value.deviceForms;
  const to = useSignal<Role | undefined>(undefined);
  const from = useMoment();
  const until = useMoment();
  const { value: role } = to;
  const isRight = from.fault === undefined && until.fault === undefined;
  const request = role === undefined || !isRight ? undefined : putMonitors(role.id, device.id, {
    ...from.at !== undefined && { from: from.at },
    ...until.at !== undefined && { until: until.at },
  });
  const preview = usePreview(request);
  const { shown } = preview;
  return (
    <ChangeFrame title={<Sentence parts={words.title(<Name>{nameOf(device)}</Name>)} />}>
      <PreviewForm
        request={request}
        preview={preview}
        missing={texts.value.change.join.choose}
        submit={words.submit}
        describe={describeMonitors(words.forbidden)}
        onMade={(made) => {
          closeForm();
          if (role !== undefined) void sayDone(words.done(isolate(role.name)), made);
        }}
        effect={shown && role && <Reading role={role} period={shown.monitors} />}
      >
        <RoleField label={texts.value.words.role} {...bindToRole(to)} />
        <MomentField moment={from} label={words.from} hint={words.emptyFrom} none={choices.none} />
        <MomentField moment={until} label={words.until} hint={words.emptyUntil} none={choices.none} />
      </PreviewForm>
    </ChangeFrame>
  );
}

interface ReadingProps {
  readonly role: Role;
  readonly period: Pick<Monitors, "from" | "until">;
}

/** What a role will read of the device. */
function Reading({ role, period }: ReadingProps) {
  const { attach: words } = texts.value.deviceForms;
  return (
    <div class="effect-box">
      <p>
        <Sentence parts={words.reads(<StrongName>{role.name}</StrongName>, <PeriodText {...period} />)} />
      </p>
      <p class="hint">{words.present}</p>
    </div>
  );
}

interface RelationFormProps {
  readonly watched: WatchedDevice;
  readonly relation: Monitors;
  readonly role: Role;
}

/** The form for the period in which a role reads a device or, with `?how=detach`, for taking the device from it. */
export function MonitorsForm(props: RelationFormProps) {
  return query.value.get("how") === "detach" ? <DetachForm {...props} /> : <PeriodForm {...props} />;
}

function PeriodForm({ watched: { device }, relation, role }: RelationFormProps) {
  const { period: words, attach, detach, choices } = texts.value.deviceForms;
  const from = useMoment(relation.from);
  const until = useMoment(relation.until);
  const isRight = from.fault === undefined && until.fault === undefined;
  const request = !isRight || !(from.isTyped || until.isTyped) ? undefined : putMonitors(role.id, device.id, {
    ...from.isTyped && { from: from.at ?? null },
    ...until.isTyped && { until: until.at ?? null },
  });
  const preview = usePreview(request);
  const { shown } = preview;
  return (
    <ChangeFrame
      title={<Sentence parts={words.title(<Name>{role.name}</Name>, <Name>{nameOf(device)}</Name>)} />}
    >
      <PreviewForm
        request={request}
        preview={preview}
        missing={isRight ? words.unchanged : ""}
        submit={words.submit}
        describe={describeMonitors(words.forbidden)}
        onMade={async (made) => {
          await leave(device.id, role.id);
          void sayDone(words.done, made);
        }}
        effect={shown && <Reading role={role} period={shown.monitors} />}
      >
        <MomentField moment={from} label={attach.from} hint={words.emptyFrom} none={choices.none} />
        <MomentField moment={until} label={attach.until} hint={words.emptyUntil} none={choices.none} />
      </PreviewForm>
      <Instead to={withQuery({ how: "detach" })}>{detach.open}</Instead>
    </ChangeFrame>
  );
}

function DetachForm({ watched: { device }, relation, role }: RelationFormProps) {
  const { detach: words, period } = texts.value.deviceForms;
  const request = removeMonitors(relation);
  const preview = usePreview(request);
  const { shown } = preview;
  const deletes = shown?.deletesDevice === true;
  return (
    <ChangeFrame
      title={<Sentence parts={words.title(<Name>{nameOf(device)}</Name>, <Name>{role.name}</Name>)} />}
    >
      <PreviewForm
        request={request}
        preview={preview}
        submit={deletes ? words.submitDelete : words.submit}
        isLoss
        describe={describeMonitors(period.forbidden)}
        onMade={async (made) => {
          await leave(device.id, role.id);
          void sayDone(made.deletesDevice ? words.doneDeleted : words.done, made);
        }}
        effect={shown && (
          <div class={deletes ? "note loss" : "effect-box"}>
            <p>
              {deletes
                ? words.deletes
                : <Sentence parts={words.loses(<StrongName>{role.name}</StrongName>)} />}
            </p>
          </div>
        )}
      />
      <Instead to={withQuery({ how: undefined })}>{words.back}</Instead>
    </ChangeFrame>
  );
}

/** Returns to the device, or to the devices of the role if the viewer no longer sees it. */
async function leave(deviceId: number, roleId: number): Promise<void> {
  // A failure here does not undo the change.
  const isSeen = await loadDevice(deviceId, new AbortController().signal).then(
    (found) => found !== undefined,
    () => true,
  );
  if (isSeen) closeForm();
  else navigate(`/devices?role=${roleId}`, { replace: true });
}
