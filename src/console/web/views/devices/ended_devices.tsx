import { Heading } from "../../components/heading.tsx";
import { Link } from "../../components/link.tsx";
import { Name } from "../../components/name.tsx";
import { PagedList } from "../../components/paged_list.tsx";
import { texts } from "../../language.ts";
import { usePages } from "../../use_pages.ts";
import { type DeviceFilter, edgesOf, type EndedDevice, loadEnded } from "./device.ts";
import { MeasurementsSection } from "./measurements_section.tsx";
import { PeriodText } from "./period_text.tsx";

/** The devices that roles of the viewer monitored before, if there are any. */
export function EndedDevices({ filter: { roleId, isBelow = false } }: { readonly filter: DeviceFilter }) {
  const { ended } = texts.value.devices;
  const filter = { ...roleId !== undefined && { roleId }, isBelow };
  const pages = usePages(
    `ended ${JSON.stringify(filter)}`,
    (start, signal) => loadEnded(filter, start, signal),
  );
  const isEmpty = pages.items?.length === 0 && !pages.hasMore;
  if (isEmpty || pages.items === undefined) return null;
  return (
    <section>
      <h2>{ended.title}</h2>
      <PagedList
        pages={pages}
        empty={texts.value.devices.noneYet}
        render={(item) => <Row key={item.id} {...item} />}
      />
    </section>
  );
}

function Row({ id, properties: { nodeId }, periods }: EndedDevice) {
  return (
    <li>
      <div>
        <Link to={`/devices/${id}`} class="row-title">
          <Name>{nodeId}</Name>
        </Link>
        <Periods periods={periods} />
      </div>
    </li>
  );
}

function Periods({ periods }: Pick<EndedDevice, "periods">) {
  const { ended } = texts.value.devices;
  return (
    <small>
      {ended.yours} {periods.map((period, i) => (
        <>
          {i > 0 && ", "}
          <PeriodText {...period} />
        </>
      ))}
    </small>
  );
}

/** The page of a device that the viewer sees no longer. */
export function EndedDevicePage({ device }: { readonly device: EndedDevice }) {
  const { devices } = texts.value;
  const { id, properties: { nodeId }, periods } = device;
  const edges = edgesOf(periods);
  return (
    <main class="device-main">
      <Link to="/devices" class="way-back">{devices.all}</Link>
      <Heading>
        <Name>{nodeId}</Name>
      </Heading>
      <p class="hint">{devices.device(id)}</p>
      <p>
        <Periods periods={periods} />
      </p>
      <p>{devices.ended.text}</p>
      <MeasurementsSection device={device} edges={edges} end={edges.at(-1)} />
    </main>
  );
}
