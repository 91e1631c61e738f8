import { useEffect } from "preact/hooks";
import { me } from "../../me.ts";
import { pictureToBe } from "../../picture/to_be.ts";
import type { Member } from "../../schemas.ts";
import { type Drawn, drawToBe } from "./draw_to_be.ts";

/** Shows in the picture beside the form what a change would make of it, for as long as the form shows the change. */
export function useInPicture(drawn: Drawn | undefined, memberships: readonly Member[] | undefined): void {
  const { email, dormant = [] } = me.value ?? {};
  const key = JSON.stringify([drawn?.drawing, drawn?.shown?.effect.tag]);
  useEffect(() => {
    // Dormant ones give the viewer no rights, so none are lost by them.
    const awake = memberships?.filter((own) => !dormant.some(({ roleId }) => roleId === own.roleId));
    pictureToBe.value = drawn && ((now) => drawToBe(drawn, now, { email, memberships: awake }));
  }, [key, me.value, memberships]);
  useEffect(() => () => {
    pictureToBe.value = undefined;
  }, []);
}
