import { Heading } from "../../components/heading.tsx";
import { Link } from "../../components/link.tsx";
import { LoadingNote } from "../../components/loading_note.tsx";
import { Name } from "../../components/name.tsx";
import { RightsTicks } from "../../components/rights.tsx";
import { RoleLink } from "../../components/role_link.tsx";
import { formatTime, texts } from "../../language.ts";
import { useLoad } from "../../use_load.ts";
import { useTitle } from "../../use_title.ts";
import { loadDevice, nameOf, type WatchedDevice } from "./device.ts";
import { Kind } from "./kind.tsx";
import { MeasurementsSection } from "./measurements_section.tsx";
import { PropertyList } from "./properties.tsx";

/** A device: its measurements, monitoring roles and properties. */
export function DevicePage({ id }: { readonly id: number }) {
  const { devices } = texts.value;
  const { state } = useLoad(`device ${id}`, (signal) => loadDevice(id, signal));
  const { data, problem, isLoading } = state.value;
  useTitle(data === undefined ? devices.title : nameOf(data.device));
  if (data !== undefined) return <Found watched={data} />;
  return (
    <main class="alone">
      {isLoading || problem !== undefined ? <LoadingNote problem={problem} /> : (
        <>
          <h1>{devices.unknownTitle}</h1>
          <p>{devices.unknownText}</p>
          <Link to="/devices" class="way-back">{devices.all}</Link>
        </>
      )}
    </main>
  );
}

function Found({ watched }: { readonly watched: WatchedDevice }) {
  const { devices } = texts.value;
  const { device } = watched;
  return (
    <main class="device">
      <div class="device-main">
        <Link to="/devices" class="way-back">{devices.all}</Link>
        <Heading>
          <Name>{nameOf(device)}</Name>
        </Heading>
        <p class="hint">
          <Kind device={device} /> · {devices.device(device.id)}
        </p>
        <MeasurementsSection device={device} />
      </div>
      <About watched={watched} />
    </main>
  );
}

function About({ watched: { device, roles } }: { readonly watched: WatchedDevice }) {
  const { devices } = texts.value;
  const { userRights, externalId, properties, lastUpdate } = device;
  return (
    <aside class="device-about" aria-label={devices.details}>
      <h2>{devices.yourRights}</h2>
      <ul class="rows">
        {roles.map((role) => (
          <li key={role.id}>
            <RoleLink id={role.id} name={role.name} />
            <RightsTicks rights={role.userRights} />
          </li>
        ))}
      </ul>
      <p class="hint">{userRights.monitorManagement ? devices.mayChange : devices.mayRead}</p>
      <h2>{devices.properties}</h2>
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
    </aside>
  );
}
