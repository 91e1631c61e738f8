import { Link } from "../../components/link.tsx";
import { Listed } from "../../components/listed.tsx";
import { Name } from "../../components/name.tsx";
import { PagedList } from "../../components/paged_list.tsx";
import { texts } from "../../language.ts";
import { usePages } from "../../use_pages.ts";
import { type DeviceFilter, type EndedDevice, loadEnded } from "./device.ts";
import { PeriodText } from "./period_text.tsx";

/** The devices that roles of the viewer monitored before, if there are any. */
export function EndedDevices({ filter: { roleId, isBelow = false } }: { readonly filter: DeviceFilter }) {
  const { ended } = texts.value.devices;
  const filter = { ...roleId !== undefined && { roleId }, isBelow };
  const pages = usePages("ended", loadEnded, filter);
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

/** The periods of the viewer. */
export function Periods({ periods }: Pick<EndedDevice, "periods">) {
  const { ended } = texts.value.devices;
  return (
    <small>
      {ended.yours} <Listed>{periods.map((period) => <PeriodText key={period.from} {...period} />)}</Listed>
    </small>
  );
}
