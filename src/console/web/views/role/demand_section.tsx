import { Demanded } from "../../components/demanded.tsx";
import { Link } from "../../components/link.tsx";
import { LoadingNote } from "../../components/loading_note.tsx";
import { texts } from "../../language.ts";
import { loadPolicy } from "../../policy.ts";
import { withQuery } from "../../router.ts";
import { useLoad } from "../../use_load.ts";
import { StepUpButton } from "../account/dormant.tsx";
import type { TabProps } from "./tab_props.ts";

/** What the role demands of its members, for those who may see it. */
export function DemandSection({ role, summary, allowed }: TabProps) {
  const { mayExtend, mayChange, mayManagePeople } = allowed;
  // A member of a topmost role may set its demand.
  const maySet = mayChange || (mayExtend && summary.parents === 0);
  return maySet || mayManagePeople
    ? <Demand roleId={role.id} maySet={maySet} mayManagePeople={mayManagePeople} />
    : null;
}

interface DemandProps {
  readonly roleId: number;
  readonly maySet: boolean;
  readonly mayManagePeople: boolean;
}

function Demand({ roleId, maySet, mayManagePeople }: DemandProps) {
  const { policy: words } = texts.value.demands;
  const { data, problem } = useLoad(
    `demand ${roleId}`,
    async (signal) => ({ policy: await loadPolicy(roleId, signal) }),
  );
  if (data !== undefined && data.policy === undefined) return null;
  return (
    <>
      <h3>{words.title}</h3>
      {data?.policy === undefined ? <LoadingNote problem={problem} /> : (
        <p>
          <Demanded policy={data.policy} />
        </p>
      )}
      {problem?.needs && <StepUpButton needs={problem.needs} />}
      {data?.policy && (
        <div class="actions">
          {maySet && <Link to={withQuery({ do: "demand" })} class="button">{words.change}</Link>}
          {mayManagePeople && data.policy.secondFactor !== "none" && (
            <Link to={withQuery({ tab: "people", list: "unmet" })}>{texts.value.people.unmet}</Link>
          )}
        </div>
      )}
    </>
  );
}
