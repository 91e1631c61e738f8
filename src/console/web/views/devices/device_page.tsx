import { Heading } from "../../components/heading.tsx";
import { late } from "../../components/late.tsx";
import { Link, RoleLink } from "../../components/link.tsx";
import { LoadingNote } from "../../components/loading_note.tsx";
import { Name } from "../../components/name.tsx";
import { RightsTicks } from "../../components/rights.tsx";
import { WayBack } from "../../components/way_back.tsx";
import { formatTime, isolate, texts } from "../../language.ts";
import { query, withQuery } from "../../router.ts";
import type { Role } from "../../schemas.ts";
import { useLoad } from "../../use_load.ts";
import { useTitle } from "../../use_title.ts";
import { lateParts } from "../late_parts.ts";
import { nameOf } from "../../device_names.ts";
import { type EndedDevice, loadEnded } from "../../ended_devices.ts";
import { edgesOf } from "../../periods.ts";
import { loadDevice, type Monitors, type WatchedDevice } from "./device.ts";
import { Periods } from "./ended_devices.tsx";
import { Kind } from "./kind.tsx";
import { MeasurementsSection } from "./measurements_section.tsx";
import { PeriodText } from "./period_text.tsx";
import { PropertyList } from "./properties.tsx";

const DeviceForm = late(() => lateParts().loadForms().then(({ DeviceForm }) => DeviceForm));

/** A device: its measurements, monitoring roles and properties. */
export function DevicePage({ id }: { readonly id: number }) {
  const { devices } = texts.value;
  const { data, problem } = useLoad(`device ${id}`, async (signal) => {
    const watched = await loadDevice(id, signal);
    return {
      watched,
      ended: watched === undefined ? (await loadEnded({ id: [id] }, {}, signal)).items[0] : undefined,
    };
  });
  const { watched, ended } = data ?? {};
  const shown = watched?.device ?? ended;
  const isUnknown = data !== undefined && shown === undefined;
  useTitle(
    shown !== undefined ? nameOf(shown) : isUnknown ? devices.unknownTitle : texts.value.views.devices,
  );
  if (watched !== undefined) return <Found watched={watched} />;
  if (ended !== undefined) return <EndedDevicePage device={ended} />;
  return (
    <main class="alone">
      {isUnknown
        ? (
          <>
            <h1>{devices.unknownTitle}</h1>
            <p>{devices.unknownText}</p>
            <WayBack to="/devices" label={devices.all} />
          </>
        )
        : <LoadingNote problem={problem} />}
    </main>
  );
}

function Found({ watched }: { readonly watched: WatchedDevice }) {
  const { devices } = texts.value;
  const { device } = watched;
  return (
    <main class="device">
      <div class="device-main">
        <WayBack to="/devices" label={devices.all} />
        <Heading>
          <Name>{nameOf(device)}</Name>
        </Heading>
        <p class="hint">
          <Kind device={device} /> · {devices.device(device.id)}
        </p>
        <MeasurementsSection device={device} edges={watched.edges} />
      </div>
      <About watched={watched} />
    </main>
  );
}

/** The page of a device that the viewer sees no longer. */
function EndedDevicePage({ device }: { readonly device: EndedDevice }) {
  const { devices } = texts.value;
  const { id, periods } = device;
  const end = periods.at(-1)?.until;
  return (
    <main class="device-main">
      <WayBack to="/devices" label={devices.all} />
      <Heading>
        <Name>{nameOf(device)}</Name>
      </Heading>
      <p class="hint">{devices.device(id)}</p>
      <p>
        <Periods periods={periods} />
      </p>
      <p>{devices.ended.text}</p>
      <MeasurementsSection
        device={device}
        edges={edgesOf(periods)}
        end={end === undefined ? undefined : Date.parse(end)}
      />
    </main>
  );
}

function About({ watched }: { readonly watched: WatchedDevice }) {
  const { devices } = texts.value;
  const isChanging = query.value.has("do");
  return (
    <aside class="device-about panel" aria-label={devices.details}>
      {isChanging && <DeviceForm watched={watched} />}
      {/* The opener of the form stays, so that the focus can return to it. */}
      <div hidden={isChanging}>
        <Details watched={watched} />
      </div>
    </aside>
  );
}

function Details({ watched: { device, roles, relations } }: { readonly watched: WatchedDevice }) {
  const { devices, deviceForms: forms } = texts.value;
  const { userRights, externalId, properties, lastUpdate } = device;
  const mayGive = roles.some(({ userRights }) => userRights.deviceManagement === true);
  return (
    <>
      {userRights.monitorManagement && (
        <div class="list-actions">
          <Link to={withQuery({ do: "hand-over" })} class="button">{forms.handOver.open}</Link>
          {mayGive && <Link to={withQuery({ do: "attach" })} class="button">{forms.attach.open}</Link>}
        </div>
      )}
      <h2>{devices.yourRights}</h2>
      <ul class="rows">
        {relations.map((relation) => {
          const role = roles.find(({ id }) => id === relation.roleId);
          return role !== undefined && <RelationRow key={relation.id} relation={relation} role={role} />;
        })}
      </ul>
      <p class="hint">{userRights.monitorManagement ? devices.mayChange : devices.mayRead}</p>
      <div class="section">
        <h2>{devices.properties}</h2>
        {userRights.monitorManagement && <Link to={withQuery({ do: "properties" })}>{forms.edit}</Link>}
      </div>
      <PropertyList properties={properties} />
      {externalId !== undefined && (
        <dl class="rows">
          <div>
            <dt>{texts.value.role.about.externalId}</dt>
            <dd>
              <Name>{externalId}</Name>
            </dd>
          </div>
        </dl>
      )}
      <p class="hint">{devices.changed(formatTime(lastUpdate))}</p>
    </>
  );
}

function RelationRow({ relation, role }: { readonly relation: Monitors; readonly role: Role }) {
  const { deviceForms: { period }, role: { people } } = texts.value;
  const { deviceManagement = false, roleManagement = false, userManagement = false } = role.userRights;
  const hasPeriod = relation.from !== undefined || relation.until !== undefined;
  return (
    <li class="related">
      <div>
        <RoleLink id={role.id} name={role.name} />
        {hasPeriod && (
          <small>
            <PeriodText {...relation} />
          </small>
        )}
        {userManagement && (
          <small>
            <Link
              to={`/role/${role.id}?tab=people&list=access`}
              label={`${people.lists.access}: ${isolate(role.name)}`}
            >
              {people.lists.access}
            </Link>
            {" · "}
            <Link
              to={`/why?role=${role.id}&right=member`}
              label={`${texts.value.why.title} ${isolate(role.name)}`}
            >
              {texts.value.why.title}
            </Link>
          </small>
        )}
      </div>
      <RightsTicks rights={role.userRights} />
      {(deviceManagement || roleManagement) && (
        <Link
          to={withQuery({ do: "relation", relation: String(relation.id) })}
          label={period.openFor(isolate(role.name))}
        >
          {period.open}
        </Link>
      )}
    </li>
  );
}
