import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Field } from "../../components/form.tsx";
import { RoleField } from "../../components/role_field.tsx";
import { UnknownPage } from "../../components/unknown_page.tsx";
import { texts } from "../../language.ts";
import { navigate, query, readId, withQuery } from "../../router.ts";
import { useRoleName } from "../../use_role_name.ts";
import { useTitle } from "../../use_title.ts";
import type { ViewProps } from "../view_props.ts";
import { DeviceList } from "./device_list.tsx";
import { DevicePage } from "./device_page.tsx";

/** `/devices?role=12&id=house-meter-1`: the visible devices. `/devices/7`: one of them. */
export function Devices({ parts: [id] }: ViewProps) {
  if (id === undefined) return <DevicesPage />;
  const deviceId = readId(id);
  return deviceId === undefined ? <UnknownPage /> : <DevicePage key={deviceId} id={deviceId} />;
}

function DevicesPage() {
  const { title } = texts.value.devices;
  useTitle(title);
  const roleId = readId(query.value.get("role"));
  const text = query.value.get("id") ?? "";
  return (
    <main class="devices">
      <h1>{title}</h1>
      <Filters roleId={roleId} text={text} />
      <DeviceList roleId={roleId} text={text} />
    </main>
  );
}

interface FiltersProps {
  readonly roleId: number | undefined;
  readonly text: string;
}

/** The filters of the list, kept in the address. */
function Filters({ roleId, text }: FiltersProps) {
  const { filters, idLabel, idHint, roleLabel, search, clear } = texts.value.devices;
  const typed = useSignal(text);
  useEffect(() => {
    typed.value = text;
  }, [text]);
  const roleName = useRoleName(roleId);
  const find = (event: Event): void => {
    event.preventDefault();
    navigate(withQuery({ id: typed.value.trim() || undefined }));
  };
  return (
    <form class="device-filters" role="search" aria-label={filters} onSubmit={find}>
      <Field label={idLabel} hint={idHint} value={typed.value} onValue={(value) => typed.value = value} />
      <RoleField
        label={roleLabel}
        chosen={roleName}
        onRole={({ id }) => navigate(withQuery({ role: String(id) }))}
      />
      <div class="actions">
        <button type="submit">{search}</button>
        {(roleId !== undefined || text !== "") && (
          <button
            type="button"
            class="plain"
            onClick={({ currentTarget: { form } }) => {
              navigate(withQuery({ id: undefined, role: undefined }));
              form?.querySelector("input")?.focus();
            }}
          >
            {clear}
          </button>
        )}
      </div>
    </form>
  );
}
