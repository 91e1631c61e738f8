import type { ComponentChildren } from "preact";
import { Link, RoleLink } from "../../components/link.tsx";
import { ListFile } from "../../components/list_file.tsx";
import { Name } from "../../components/name.tsx";
import { PagedList } from "../../components/paged_list.tsx";
import { texts } from "../../language.ts";
import { query, withQuery } from "../../router.ts";
import { useLoad } from "../../use_load.ts";
import { type Pages, usePages } from "../../use_pages.ts";
import { countDevices, type DeviceFilter, loadDevices, typeOf, type WatchedDevice } from "./device.ts";
import { nameOf } from "../../device_names.ts";
import { nameOfDeviceFile, readDeviceFile } from "./device_file.ts";
import { EndedDevices } from "./ended_devices.tsx";
import { Kind } from "./kind.tsx";

/** Maximum number of roles named per device. */
const ROLES = 2;
/** Maximum number of types to choose from. */
const TYPES = 8;

const TYPE = "nodeType";

/** Returns what the address filters by, besides the role: `?below=1&type=meter&property=maker&value=ACME&id=meter-1`. */
export function readFilter(): Omit<Required<DeviceFilter>, "roleId"> {
  const [property, type] = [asked("property"), asked("type")];
  return {
    isBelow: asked("below") === "1",
    text: asked("id"),
    properties: { ...property !== "" && { [property]: asked("value") }, ...type !== "" && { [TYPE]: type } },
  };
}

/** Returns a parameter of the address, empty by default. */
export function asked(name: string): string {
  return query.value.get(name) ?? "";
}

/** The pages of the devices that match a filter. */
export function useDevices(filter: DeviceFilter): Pages<WatchedDevice> {
  return usePages(`devices ${JSON.stringify(filter)}`, (start, signal) => loadDevices(filter, start, signal));
}

interface DeviceListProps {
  readonly filter: DeviceFilter;
  readonly pages: Pages<WatchedDevice>;
}

/** The visible devices, page by page, or those that match a filter. */
export function DeviceList({ filter, pages }: DeviceListProps) {
  const words = texts.value.devices;
  const { roleId, isBelow = false, text = "", properties = {} } = filter;
  const isNarrow = text !== "" || Object.keys(properties).length > 0;
  const isEmpty = pages.items?.length === 0 && !pages.hasMore;
  const empty = pages.hasMore
    ? words.noneYet
    : isNarrow
    ? words.noneFound
    : roleId === undefined
    ? words.none
    : isBelow
    ? words.noneBelow
    : words.noneOfRole;
  return (
    <div class="device-list">
      <DeviceChoices filter={filter} items={pages.items ?? []} />
      {pages.items !== undefined && !isEmpty && (
        <>
          {(!isNarrow || !pages.hasMore) && (
            <Total
              key={JSON.stringify(filter)}
              filter={filter}
              known={pages.hasMore ? undefined : pages.items.length}
            />
          )}
          <ListFile
            key={JSON.stringify(filter)}
            name={`${nameOfDeviceFile(filter)}.csv`}
            read={(onLines, signal) => readDeviceFile(filter, onLines, signal)}
          />
        </>
      )}
      <PagedList
        pages={pages}
        empty={empty}
        render={(item) => <Row key={item.device.id} item={item} />}
      />
      {isEmpty && roleId !== undefined && !isBelow && text === "" && <BelowHint filter={filter} />}
      {Object.keys(properties).length === 0 && !pages.hasMore && pages.items !== undefined && (
        <EndedDevices filter={filter} />
      )}
    </div>
  );
}

/** Whether the roles below count, too, and the types of the listed devices. */
function DeviceChoices(
  { filter, items }: { readonly filter: DeviceFilter; readonly items: readonly WatchedDevice[] },
) {
  const words = texts.value.devices;
  const { roleId, isBelow = false, properties = {} } = filter;
  const chosen = properties[TYPE];
  const seen = items.flatMap(({ device }) => typeOf(device) ?? []);
  const types = [...new Set([...chosen === undefined ? [] : [chosen], ...seen])].slice(0, TYPES);
  return (
    <>
      {roleId !== undefined && (
        <Choices label={words.extent}>
          <Link to={withQuery({ below: undefined })} isCurrent={!isBelow}>{words.ofRole}</Link>
          <Link to={withQuery({ below: "1" })} isCurrent={isBelow}>{words.withBelow}</Link>
        </Choices>
      )}
      {(types.length > 1 || chosen !== undefined) && (
        <Choices label={words.type}>
          <Link to={withQuery({ type: undefined })} isCurrent={chosen === undefined}>{words.allTypes}</Link>
          {types.map((type) => (
            <Link key={type} to={withQuery({ type })} isCurrent={type === chosen}>
              <Name>{type}</Name>
            </Link>
          ))}
        </Choices>
      )}
    </>
  );
}

function Choices({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return <nav class="device-choices" aria-label={label}>{children}</nav>;
}

interface TotalProps extends Pick<DeviceListProps, "filter"> {
  /** Undefined if others follow those that are loaded. */
  readonly known: number | undefined;
}

/** How many devices the list has, with those on further pages. */
function Total({ filter, known }: TotalProps) {
  const { data } = useLoad(
    `count ${JSON.stringify(filter)} ${known}`,
    async (signal) =>
      known === undefined ? await countDevices(filter, signal) : { count: known, hasMore: false },
  );
  return data === undefined ? null : <p class="hint">{texts.value.home.devices(data.count, data.hasMore)}</p>;
}

/** How many devices the roles below have, where the role has none. */
function BelowHint({ filter }: { readonly filter: DeviceFilter }) {
  const { noneHere, showBelow } = texts.value.devices;
  const below = { ...filter, isBelow: true };
  const { data } = useLoad(`count ${JSON.stringify(below)}`, (signal) => countDevices(below, signal));
  if (data === undefined || data.count === 0 && !data.hasMore) return null;
  return (
    <p role="status">
      {noneHere(data.count, data.hasMore)} <Link to={withQuery({ below: "1" })}>{showBelow}</Link>
    </p>
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
