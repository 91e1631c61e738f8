import { Link } from "../../components/link.tsx";
import { LoadingNote } from "../../components/loading_note.tsx";
import { texts } from "../../language.ts";
import { useLoad } from "../../use_load.ts";
import { groupActions } from "../changes/actions.ts";
import { ChangeRow } from "../changes/change_row.tsx";
import { addNames, findUndone } from "../changes/named_change.ts";
import { findSpan, readBack } from "../changes/read_log.ts";

const SHOWN = 5;

/** The last rows of the log by a person, and the way to all of them. */
export function LatestChanges({ userId }: { readonly userId: number }) {
  const { person } = texts.value;
  const { data, problem } = useLoad(`latest changes of ${userId}`, async (signal) => {
    const filter = { actorId: userId };
    const { changes } = await readBack(filter, await findSpan(filter, signal), signal);
    const actions = groupActions(changes).slice(0, SHOWN);
    const named = await addNames(actions.map(({ head }) => head), signal);
    return actions.flatMap(({ hasParts }, i) => named[i] ? [{ change: named[i], hasParts }] : []);
  });
  const undone = findUndone(data?.map(({ change }) => change));
  return (
    <section class="changes">
      <h2>{person.latest}</h2>
      {data === undefined
        ? <LoadingNote problem={problem} />
        : data.length === 0
        ? <p class="hint">{texts.value.person.keysNone}</p>
        : (
          <ul class="change-rows" aria-label={person.latest}>
            {data.map(({ change, hasParts }) => (
              <ChangeRow
                key={change.revision}
                change={change}
                undoneIn={undone.get(change.revision)}
                hasParts={hasParts}
              />
            ))}
          </ul>
        )}
      {data !== undefined && data.length > 0 && (
        <Link to={`/changes?by=${userId}`} class="way-on">{person.all}</Link>
      )}
    </section>
  );
}
