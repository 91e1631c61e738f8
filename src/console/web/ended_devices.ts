import { foldText } from "../../core/text.ts";
import { type BodyOf, queryDevices } from "./ask_lists.ts";
import type { Described } from "./device_names.ts";
import type { Period } from "./periods.ts";
import type { Page, PageStart } from "./use_pages.ts";

/** A device that roles of the viewer monitored, and none does now. */
export interface EndedDevice extends Described {
  /** When the viewer may read it. */
  readonly periods: readonly Period[];
}

const PAGE = 25;
/** Maximum number that is loaded at once to be searched: the service does not search them. */
export const MOST_SEARCHED = 500;

type Filter = BodyOf<"queryDevices">["filter"] & { readonly text?: string; readonly limit?: number };

/** Loads a page of such devices: up to `limit`, and of these the ones with a text in their nodeId. */
export async function loadEnded(
  { text = "", limit = text === "" ? PAGE : MOST_SEARCHED, ...filter }: Filter,
  start: PageStart,
  signal: AbortSignal,
): Promise<Page<EndedDevice>> {
  const body = { filter: { ...filter, ended: true }, limit, ...start };
  const { device, nextCursor } = await queryDevices(body, signal);
  const items = device.map(({ id, properties, periods = [] }) => ({
    id,
    properties: { nodeId: "", ...properties },
    periods,
  }));
  return { items: items.filter((each) => isCalled(each, text)), next: nextCursor };
}

/** Whether the text is in the nodeId: the service tells no name of such a device. Case does not matter. */
export function isCalled({ properties }: Described, text: string): boolean {
  return foldText(properties.nodeId).includes(foldText(text));
}
