import { RightsField, type RightsFieldProps } from "../../components/rights_field.tsx";
import { forEachRight, RIGHT_NAMES, type Rights } from "../../../../graph/rights.ts";
import { texts } from "../../language.ts";
import { query } from "../../router.ts";
import { NONE } from "../../rights.ts";
import { carriedBy, useOwnMemberships } from "./own_memberships.ts";

/** Returns the rights preset by the address (names with commas), if any. */
export function presetRights(): Rights | undefined {
  const preset = query.value.get("rights")?.split(",");
  return preset && forEachRight((name) => preset.includes(name));
}

interface GivingRightsProps extends Pick<RightsFieldProps, "label" | "value" | "onValue"> {
  /** The current rights, which may be kept or removed. */
  readonly now?: Rights | undefined;
  /** The reason why none can be given, if so. */
  readonly onlyTake?: string | undefined;
  /** A right that is always given, and the reason. */
  readonly needed?: string | undefined;
}

/** A choice of rights: those that the viewer may give, and the current ones. */
export function GivingRights({ now, onlyTake, needed, ...field }: GivingRightsProps) {
  const { giving } = texts.value.change;
  const memberships = useOwnMemberships();
  const carried = carriedBy(memberships);
  const givable = onlyTake === undefined ? carried : NONE;
  const available = forEachRight((name) =>
    (givable[name] || now?.[name] === true) && !(needed !== undefined && name === "roleManagement")
  );
  const lacking = RIGHT_NAMES.filter((name) => !carried[name] && now?.[name] !== true);
  const hint = onlyTake ?? (lacking.length > 0 ? giving.mask(lacking) : needed);
  return <RightsField {...field} available={available} before={now} hint={hint} />;
}
