import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** For a row of links of which a phone does not show all: it is scrolled to the current one, whenever that is another. */
export function useCurrentInSight(current: string | undefined): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    const link = row.current?.querySelector<HTMLElement>("[aria-current]");
    if (row.current && link) {
      row.current.scrollLeft = link.offsetLeft - (row.current.clientWidth - link.offsetWidth) / 2;
    }
  }, [current]);
  return row;
}
