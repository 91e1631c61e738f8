import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { ProblemNote } from "../../components/form.tsx";
import { Link } from "../../components/link.tsx";
import { Name, StrongName } from "../../components/name.tsx";
import { bindToRole, RoleField } from "../../components/role_field.tsx";
import { Sentence } from "../../components/sentence.tsx";
import { Time } from "../../components/time.tsx";
import { isolate, texts } from "../../language.ts";
import { loadRoles } from "../../roles.ts";
import type { Role } from "../../schemas.ts";
import { useLoad } from "../../use_load.ts";
import { useMoment } from "../../use_moment.ts";
import { ChangeFrame, closeForm } from "../change/change_frame.tsx";
import { describeReading, readersIn } from "../change/effect_notes.tsx";
import { PreviewForm } from "../change/preview_form.tsx";
import { usePreview } from "../change/use_preview.ts";
import { describeMonitors } from "./describe_monitors.tsx";
import { type WatchedDevice } from "./device.ts";
import { nameOf } from "../../device_names.ts";
import { type Failure, handOver, sayDone } from "./device_requests.ts";
import { MomentField } from "./moment_field.tsx";
import { NewOwner } from "./new_owner.tsx";

interface HandOverFormProps {
  readonly devices: readonly WatchedDevice[];
  /** Whether the role has more devices than these. */
  readonly hasMore?: boolean;
}

/** The form that gives devices to another role, with what each side will read. */
export function HandOverForm({ devices, hasMore = false }: HandOverFormProps) {
  const { handOver: words } = texts.value.deviceForms;
  const to = useSignal<Role | undefined>(undefined);
  const moment = useMoment();
  const done = useSignal(0);
  const failures = useSignal<readonly Failure[]>([]);
  const { value: role } = to;
  const { at } = moment;
  const idempotencyKey = useMemo(() => crypto.randomUUID(), [role?.id, at]);
  const onDone = (count: number): void => void (done.value = count);
  const request = role === undefined || moment.fault !== undefined
    ? undefined
    : handOver({ devices, toRoleId: role.id, at, idempotencyKey, onDone });
  const preview = usePreview(request);
  const { shown } = preview;
  const { data: readers } = useLoad(
    `readers ${shown?.effect?.tag}`,
    (signal) => loadRoles(shown?.reading === undefined ? [] : readersIn(shown.reading), signal),
  );
  const [first] = devices;
  return (
    <ChangeFrame
      title={devices.length === 1 && first !== undefined
        ? <Sentence parts={words.title(<Name>{nameOf(first.device)}</Name>)} />
        : words.titleMany(devices.length)}
    >
      <PreviewForm
        request={request}
        preview={preview}
        missing={words.choose}
        submit={words.submit}
        working={devices.length === 1 || at === undefined
          ? undefined
          : words.workingAt(done.value, devices.length)}
        describe={describeMonitors(words.forbidden)}
        onMade={(made) => {
          failures.value = made.failures;
          done.value = 0;
          if (made.failures.length > 0 || role === undefined) return;
          closeForm();
          void sayDone(words.done(isolate(role.name)), made);
        }}
        effect={shown !== undefined && role !== undefined && (
              <div class="effect-box">
                <Sides devices={devices} role={role} at={at} />
                {shown.hidden > 0 && <p>{words.hidden(shown.hidden)}</p>}
                {shown.dropped > 0 && <p>{words.dropped(shown.dropped)}</p>}
                {shown.reading === undefined
                  ? <p class="hint">{words.above} {words.othersKeep}</p>
                  : describeReading(shown.reading, readers).map((text) => <p key={text}>{text}</p>)}
                <Failures failures={shown.failures} title={words.willFail} />
              </div>
            ) || undefined}
      >
        {hasMore && <p class="note">{words.onlyFirst(devices.length)}</p>}
        {devices.length > 1 && (
          <p class="hint">{words.names(devices.map(({ device }) => isolate(nameOf(device))))}</p>
        )}
        <RoleField label={words.to} {...bindToRole(to)} />
        <NewOwner onMade={(made) => to.value = made} />
        <MomentField moment={moment} label={words.at} hint={words.atHint} />
        <Failures failures={failures.value} title={words.failed} />
      </PreviewForm>
    </ChangeFrame>
  );
}

interface SidesProps {
  readonly devices: readonly WatchedDevice[];
  /** The role that takes over. */
  readonly role: Role;
  readonly at: string | undefined;
}

/** What those who have the devices will read, and the role that takes over. */
function Sides({ devices, role, at }: SidesProps) {
  const { handOver: words } = texts.value.deviceForms;
  const before = new Map(devices.flatMap(({ roles }) => roles.map((each) => [each.id, each])));
  const time = at === undefined ? words.now : <Time at={at} />;
  const strong = ({ name }: Role) => <StrongName>{name}</StrongName>;
  return (
    <>
      {[...before.values()].filter(({ id }) => id !== role.id).map((each) => (
        <p key={each.id}>
          <Sentence parts={words.keeps(strong(each), time)} />
        </p>
      ))}
      <p>
        <Sentence parts={(before.has(role.id) ? words.stays : words.reads)(strong(role), time)} />
      </p>
      <p>
        <Link to={`/role/${role.id}?tab=people&list=access`}>
          <Sentence parts={words.whoHasAccess(<Name>{role.name}</Name>)} />
        </Link>
      </p>
    </>
  );
}

/** The devices that are not handed over, each with the reason. */
function Failures({ failures, title }: { readonly failures: readonly Failure[]; readonly title: string }) {
  const { forbidden } = texts.value.deviceForms.handOver;
  if (failures.length === 0) return null;
  return (
    <div class="note" role="status">
      <p>{title}</p>
      <ul>
        {failures.map(({ device, problem }) => (
          <li key={device.id}>
            <Name>{nameOf(device)}</Name>
            <ProblemNote problem={problem} describe={describeMonitors(forbidden)} />
          </li>
        ))}
      </ul>
    </div>
  );
}
