import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { api, dataOf } from "../../api.ts";
import { bindTo, type Describe, Field, ProblemForm } from "../../components/form.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/notice.tsx";
import { Sentence } from "../../components/sentence.tsx";
import { isolate, texts } from "../../language.ts";
import { Problem } from "../../problem.ts";
import type { Role } from "../../schemas.ts";
import { reloadAll } from "../../use_load.ts";
import { ChangeFrame, closeForm } from "../change/change_frame.tsx";
import { describeRefusal } from "../change/describe_refusal.ts";
import { isExternalId } from "../change/role_name.tsx";
import { type WatchedDevice } from "./device.ts";
import { nameOf } from "../../device_names.ts";
import { isSmall, type PropertyRow, PropertyRows, readRows, SizeNote, toRow } from "./property_rows.tsx";

const NEW_ROW: PropertyRow = { name: "", kind: "text", text: "", isNew: true };

/** Returns the rows with one changed or, with undefined, removed. */
function withRow(
  rows: readonly PropertyRow[],
  place: number,
  row: PropertyRow | undefined,
): readonly PropertyRow[] {
  return row === undefined ? rows.toSpliced(place, 1) : rows.with(place, row);
}

/** The form for the properties of a device. Untouched ones follow the device, even if another user changes it. */
export function PropertiesForm({ watched: { device } }: { readonly watched: WatchedDevice }) {
  const { properties: words } = texts.value.deviceForms;
  const { nodeId, ...now } = device.properties;
  /** By name, what is typed; null removes the property. */
  const edits = useSignal<Readonly<Record<string, PropertyRow | null>>>({});
  const added = useSignal<readonly PropertyRow[]>([]);
  const kept = Object.entries(now)
    .filter(([name]) => edits.value[name] !== null)
    .map(([name, value]) => edits.value[name] ?? toRow(name, value));
  const rows = [...kept, ...added.value];
  const onRow = (place: number, row: PropertyRow | undefined): void => {
    const old = kept[place];
    if (old === undefined) added.value = withRow(added.value, place - kept.length, row);
    else edits.value = { ...edits.value, [old.name]: row ?? null };
  };
  const removed = Object.keys(now).filter((name) => edits.value[name] === null);
  const properties = readRows(rows);
  const whole = { nodeId, ...properties };
  const changed = Object.fromEntries(
    Object.entries(properties ?? {}).filter(([name, value]) =>
      !Object.hasOwn(now, name) || JSON.stringify(value) !== JSON.stringify(now[name])
    ),
  );
  const isChanged = removed.length > 0 || Object.keys(changed).length > 0;
  const save = async (): Promise<void> => {
    // What is not typed is not sent: a number with more digits than JavaScript has stays as it is.
    const [mode, sent] = removed.length > 0 ? ["replace", whole] as const : ["legacy", changed] as const;
    const params = {
      path: { deviceId: device.id },
      query: { mode },
      header: { "If-Unmodified-Since": device.lastUpdate },
    };
    try {
      await dataOf(api.PUT("/v1/device/{deviceId}", { params, body: { properties: sent } }));
    } catch (error) {
      if (error instanceof Problem && error.status === 412) reloadAll();
      throw error;
    }
    closeForm();
    say(words.done);
    reloadAll();
  };
  return (
    <ChangeFrame title={<Sentence parts={words.title(<Name>{nameOf(device)}</Name>)} />}>
      <ProblemForm
        submit={words.submit}
        onSubmit={save}
        isReady={isChanged && properties !== undefined && isSmall(whole)}
        describe={describeDevice(words.forbidden)}
        actions={<button type="button" onClick={closeForm}>{texts.value.cancel}</button>}
      >
        <PropertyRows rows={rows} onRow={onRow} onAdd={() => added.value = [...added.value, NEW_ROW]} />
        {removed.length > 0 && <p class="hint">{words.removed(removed.map(isolate))}</p>}
        {properties !== undefined && <SizeNote properties={whole} />}
      </ProblemForm>
    </ChangeFrame>
  );
}

/** Properties that the console itself shows. */
const USUAL = ["name", "nodeType"];

/** The form for a new device of a role. */
export function NewDeviceForm({ role }: { readonly role: Role }) {
  const { create: words } = texts.value.deviceForms;
  const typed = useSignal("");
  const rows = useSignal<readonly PropertyRow[]>(USUAL.map((name) => ({ ...NEW_ROW, name })));
  const nodeId = typed.value.trim();
  const isNodeId = nodeId !== "" && isExternalId(nodeId);
  const properties = readRows(rows.value);
  const whole = { nodeId, ...properties };
  // The same key for a retry after a lost response, so that it makes one device.
  const key = useMemo(() => crypto.randomUUID(), [JSON.stringify(whole)]);
  const create = async (): Promise<void> => {
    const params = { query: { roleId: role.id }, header: { "Idempotency-Key": key } };
    await dataOf(api.POST("/v1/device", { params, body: { properties: whole } }));
    closeForm();
    const { name } = properties ?? {};
    say(words.done(isolate(typeof name === "string" ? name : nodeId)));
    reloadAll();
  };
  return (
    <ChangeFrame title={<Sentence parts={words.title(<Name>{role.name}</Name>)} />}>
      <ProblemForm
        submit={words.submit}
        onSubmit={create}
        isReady={isNodeId && properties !== undefined && isSmall(whole)}
        describe={describeDevice(words.forbidden)}
        actions={<button type="button" onClick={closeForm}>{texts.value.cancel}</button>}
      >
        <Field
          label={words.nodeId}
          hint={words.nodeIdHint}
          {...bindTo(typed)}
          fault={typed.value === "" || isNodeId ? undefined : words.nodeIdFault}
        />
        <PropertyRows
          rows={rows.value}
          onRow={(place, row) => rows.value = withRow(rows.value, place, row)}
          onAdd={() => rows.value = [...rows.value, NEW_ROW]}
        />
        {properties !== undefined && <SizeNote properties={whole} />}
      </ProblemForm>
    </ChangeFrame>
  );
}

/** Returns the texts of refusals to create or change a device. */
function describeDevice(forbidden: string): Describe {
  return (problem, left) => {
    const { properties, create } = texts.value.deviceForms;
    const { status, code } = problem;
    if (status === 412) return properties.modified;
    if (code.startsWith("The nodeId belongs")) return create.taken;
    if (code.startsWith("The quota")) return create.full;
    if (status === 422 && code.startsWith("The properties")) return texts.value.problems.MALFORMED;
    return describeRefusal(problem, left, forbidden);
  };
}
