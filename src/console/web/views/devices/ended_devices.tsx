import { Link } from "../../components/link.tsx";
import { Listed } from "../../components/listed.tsx";
import { Name } from "../../components/name.tsx";
import { PagedList } from "../../components/paged_list.tsx";
import { nameOf } from "../../device_names.ts";
import { type EndedDevice, loadEnded } from "../../ended_devices.ts";
import { texts } from "../../language.ts";
import { periodsAsRead } from "../../periods.ts";
import { usePages } from "../../use_pages.ts";
import { type DeviceFilter, toQuery } from "./device.ts";
import { PeriodText } from "./period_text.tsx";

/** The devices that roles of the viewer monitored before, if any match. */
export function EndedDevices({ filter }: { readonly filter: DeviceFilter }) {
  const { ended } = texts.value.devices;
  const pages = usePages("ended", loadEnded, { ...toQuery(filter), text: filter.text ?? "" });
  const isEmpty = pages.items?.length === 0 && !pages.hasMore;
  if (pages.items === undefined) return pages.problem === undefined && <div class="pending" />;
  if (isEmpty) return null;
  return (
    <section>
      <h2>{ended.title}</h2>
      <PagedList
        pages={pages}
        empty={texts.value.devices.noneYet}
        render={(device) => <Row key={device.id} device={device} />}
      />
    </section>
  );
}

function Row({ device }: { readonly device: EndedDevice }) {
  return (
    <li>
      <div>
        <Link to={`/devices/${device.id}`} class="row-title">
          <Name>{nameOf(device)}</Name>
        </Link>
        <Periods periods={device.periods} />
      </div>
    </li>
  );
}

/** The periods of the viewer; nothing if they are too short to be told. */
export function Periods({ periods }: Pick<EndedDevice, "periods">) {
  const read = periodsAsRead(periods);
  if (read.length === 0) return null;
  return (
    <small>
      {texts.value.devices.ended.yours}{" "}
      <Listed>{read.map((period) => <PeriodText key={period.from} {...period} />)}</Listed>
    </small>
  );
}
