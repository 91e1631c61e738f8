import { Link } from "../../components/link.tsx";
import { Name } from "../../components/name.tsx";
import { PagedList } from "../../components/paged_list.tsx";
import { RoleLink } from "../../components/role_link.tsx";
import { texts } from "../../language.ts";
import { usePages } from "../../use_pages.ts";
import { type DeviceFilter, loadDevices, nameOf, type WatchedDevice } from "./device.ts";
import { Kind } from "./kind.tsx";

/** Maximum number of roles named per device. */
const ROLES = 2;

/** The visible devices, page by page, or those that match a filter. */
export function DeviceList({ roleId, text }: DeviceFilter) {
  const { none, noneOfRole, noneFound } = texts.value.devices;
  const pages = usePages(
    `devices ${roleId} ${text}`,
    (start, signal) => loadDevices({ roleId, text }, start, signal),
  );
  const empty = (text ?? "") !== "" ? noneFound : roleId === undefined ? none : noneOfRole;
  return (
    <div class="device-list">
      <PagedList
        pages={pages}
        empty={empty}
        render={(item) => <Row key={item.device.id} item={item} />}
      />
    </div>
  );
}

function Row({ item: { device, roles, listedFor } }: { readonly item: WatchedDevice }) {
  const { monitoredBy, alsoMonitoredBy, moreRoles } = texts.value.devices;
  const others = roles.filter(({ id }) => id !== listedFor);
  return (
    <li>
      <div>
        <Link to={`/devices/${device.id}`} class="row-title">
          <Name>{nameOf(device)}</Name>
        </Link>
        <small>
          <Kind device={device} />
        </small>
      </div>
      {others.length > 0 && (
        <div>
          <small>{listedFor === undefined ? monitoredBy : alsoMonitoredBy}</small>
          <ul>
            {others.slice(0, ROLES).map(({ id, name }) => (
              <li key={id}>
                <RoleLink id={id} name={name} />
              </li>
            ))}
            {others.length > ROLES && (
              <li>
                <small>{moreRoles(others.length - ROLES)}</small>
              </li>
            )}
          </ul>
        </div>
      )}
    </li>
  );
}
