import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { ProblemNote } from "../../components/form.tsx";
import { Link } from "../../components/link.tsx";
import { Name, StrongName } from "../../components/name.tsx";
import { bindToRole, RoleField } from "../../components/role_field.tsx";
import { Sentence } from "../../components/sentence.tsx";
import { Time } from "../../components/time.tsx";
import { formatNumber, isolate, texts } from "../../language.ts";
import { loadRoles } from "../../roles.ts";
import type { Role } from "../../schemas.ts";
import { useLoad } from "../../use_load.ts";
import { useMoment } from "../../use_moment.ts";
import { ChangeFrame, closeForm } from "../change/change_frame.tsx";
import { describeReading, readersIn } from "../change/effect_notes.tsx";
import { PreviewForm } from "../change/preview_form.tsx";
import { usePreview } from "../change/use_preview.ts";
import { describeMonitors } from "./describe_monitors.tsx";
import type { DeviceCount, WatchedDevice } from "./device.ts";
import { nameOf } from "../../device_names.ts";
import { type Failure, handOver, sayDone } from "./device_requests.ts";
import { MomentField } from "./moment_field.tsx";
import { NewOwner } from "./new_owner.tsx";

/** Devices named before the others are asked for. */
const NAMED = 5;

interface HandOverFormProps {
  readonly devices: readonly WatchedDevice[];
  /** The name of the role whose devices these are, if they are all of its devices. */
  readonly of?: string;
  /** Those of the role that follow. */
  readonly rest?: DeviceCount | undefined;
  /** Goes on with these, once the first ones are handed over. */
  readonly onGoOn?: (() => void) | undefined;
  /** Stands there while these are loaded, and nothing can be handed over. */
  readonly loading?: ComponentChildren;
}

/** The form that gives devices to another role, with what each side will read. */
export function HandOverForm({ devices, of, rest, onGoOn, loading }: HandOverFormProps) {
  const { handOver: words } = texts.value.deviceForms;
  const to = useSignal<Role | undefined>(undefined);
  const moment = useMoment();
  const done = useSignal(0);
  const failures = useSignal<readonly Failure[]>([]);
  const { value: role } = to;
  const { at } = moment;
  const [first] = devices;
  const ids = devices.map(({ device }) => device.id);
  const idempotencyKey = useMemo(() => crypto.randomUUID(), [role?.id, at, String(ids)]);
  const onDone = (count: number): void => void (done.value = count);
  const request = role === undefined || moment.fault !== undefined || loading !== undefined
    ? undefined
    : handOver({ devices, toRoleId: role.id, at, idempotencyKey, onDone });
  const preview = usePreview(request);
  const { shown } = preview;
  const { data: readers } = useLoad(
    `readers ${shown?.effect?.tag}`,
    (signal) => loadRoles(shown?.reading === undefined ? [] : readersIn(shown.reading), signal),
  );
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
        submit={words.open}
        working={devices.length === 1 || at === undefined
          ? undefined
          : words.workingAt(done.value, devices.length)}
        describe={describeMonitors(words.forbidden)}
        onMade={(made) => {
          const tried = new Set(ids);
          failures.value = [
            ...failures.value.filter(({ device }) => !tried.has(device.id)),
            ...made.failures,
          ];
          done.value = 0;
          if (onGoOn !== undefined) onGoOn();
          else if (failures.value.length === 0) closeForm();
          if (made.failures.length === 0 && role !== undefined) {
            void sayDone(words.done(isolate(role.name)), made);
          }
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
        {of !== undefined && <StrongName>{of}</StrongName>}
        {loading}
        {rest !== undefined && <p class="note">{words.rest(rest.count, rest.hasMore)}</p>}
        {devices.length > 1 && <Names devices={devices} />}
        <RoleField label={words.to} {...bindToRole(to)} />
        <NewOwner onMade={(made) => to.value = made} />
        <MomentField moment={moment} label={words.at} hint={words.atHint} />
        <Failures failures={failures.value} title={words.failed} />
      </PreviewForm>
    </ChangeFrame>
  );
}

/** The names of the devices: the first ones, and the others on request. */
function Names({ devices }: Pick<HandOverFormProps, "devices">) {
  const names = devices.map(({ device }) => (
    <li key={device.id}>
      <Name>{nameOf(device)}</Name>
    </li>
  ));
  return (
    <>
      <ul>{names.slice(0, NAMED)}</ul>
      {names.length > NAMED && (
        <details>
          <summary>{texts.value.hierarchy.more(formatNumber(names.length - NAMED))}</summary>
          <ul>{names.slice(NAMED)}</ul>
        </details>
      )}
    </>
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
