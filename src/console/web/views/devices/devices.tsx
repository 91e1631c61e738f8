import { useSignal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import { Field } from "../../components/form.tsx";
import { RoleField } from "../../components/role_field.tsx";
import { UnknownPage } from "../../components/unknown_page.tsx";
import { texts } from "../../language.ts";
import { navigate, query, readId, without, withQuery } from "../../router.ts";
import { useRoleName } from "../../use_role_name.ts";
import { useTitle } from "../../use_title.ts";
import type { ViewProps } from "../view_props.ts";
import { type DeviceFilter, propertyText, type WatchedDevice } from "./device.ts";
import { asked, DeviceList, readFilter, useDevices } from "./device_list.tsx";
import { DevicePage } from "./device_page.tsx";

/** `/devices?role=12&below=1&type=meter`: the visible devices. `/devices/7`: one of them. */
export function Devices({ parts: [id] }: ViewProps) {
  if (id === undefined) return <DevicesPage />;
  const deviceId = readId(id);
  return deviceId === undefined ? <UnknownPage /> : <DevicePage key={deviceId} id={deviceId} />;
}

function DevicesPage() {
  const { devices: title } = texts.value.views;
  useTitle(title);
  const roleId = readId(query.value.get("role"));
  const filter = { ...readFilter(), roleId };
  const pages = useDevices(filter);
  return (
    <main class="page">
      <h1>{title}</h1>
      <Filters filter={filter} items={pages.items ?? []} />
      <DeviceList filter={filter} pages={pages} />
    </main>
  );
}

interface FiltersProps {
  readonly filter: DeviceFilter;
  /** The listed devices, whose properties are suggested. */
  readonly items: readonly WatchedDevice[];
}

/** Maximum number of suggestions. */
const SUGGESTED = 50;

/** The filters of the list, kept in the address. */
function Filters({ filter, items }: FiltersProps) {
  const words = texts.value.devices;
  const { roleId, text = "" } = filter;
  const [property, value] = [asked("property"), asked("value")];
  const typed = useSignal({ text, property, value });
  const id = useId();
  useEffect(() => {
    typed.value = { text, property, value };
  }, [text, property, value]);
  const roleName = useRoleName(roleId);
  const set = (change: Partial<typeof typed.value>): void => {
    typed.value = { ...typed.value, ...change };
  };
  const find = (event: Event): void => {
    event.preventDefault();
    if (isUnaskable) return;
    const { text, property, value } = typed.value;
    const name = property.trim();
    navigate(withQuery({
      id: text.trim() || undefined,
      property: name || undefined,
      value: name === "" ? undefined : value,
    }));
  };
  const devices = items.map(({ device }) => device);
  const names = devices.flatMap((device) =>
    Object.keys(device.properties).filter((name) => propertyText(device, name) !== undefined)
  );
  const values = devices.flatMap((device) => propertyText(device, typed.value.property.trim()) ?? []);
  const isUnaskable = /["\\]/.test(typed.value.property);
  return (
    <form class="device-filters" role="search" aria-label={words.filters} onSubmit={find}>
      <Field
        label={words.idLabel}
        hint={words.idHint}
        value={typed.value.text}
        onValue={(text) => set({ text })}
      />
      <RoleField
        label={words.roleLabel}
        chosen={roleName}
        onRole={({ id }) => navigate(withQuery({ role: String(id) }))}
      />
      <details open={property !== ""}>
        <summary>{words.property}</summary>
        <div class="device-filters">
          <Field
            label={texts.value.words.name}
            value={typed.value.property}
            onValue={(property) => set({ property })}
            list={`${id}-names`}
            fault={isUnaskable ? words.propertyFault : undefined}
          />
          <Field
            label={words.propertyValue}
            value={typed.value.value}
            onValue={(value) => set({ value })}
            list={`${id}-values`}
          />
        </div>
      </details>
      <Suggestions id={`${id}-names`} texts={names} />
      <Suggestions id={`${id}-values`} texts={values} />
      <div class="actions">
        <button type="submit" aria-disabled={isUnaskable}>{words.search}</button>
        {(roleId !== undefined || [text, property, asked("type")].some((each) => each !== "")) && (
          <button
            type="button"
            class="plain"
            onClick={({ currentTarget: { form } }) => {
              navigate(withQuery(without("id", "role", "below", "type", "property", "value")));
              form?.querySelector("input")?.focus();
            }}
          >
            {words.clear}
          </button>
        )}
      </div>
    </form>
  );
}

function Suggestions({ id, texts }: { readonly id: string; readonly texts: readonly string[] }) {
  return (
    <datalist id={id}>
      {[...new Set(texts)].slice(0, SUGGESTED).map((text) => <option key={text} value={text} />)}
    </datalist>
  );
}
