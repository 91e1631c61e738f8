import { api, dataOf } from "../../api.ts";
import { Link } from "../../components/link.tsx";
import { texts } from "../../language.ts";
import { startOfDay } from "../../local_time.ts";
import { me } from "../../me.ts";
import { queryChanges, queryMembers } from "../../ask_lists.ts";
import { useLoad } from "../../use_load.ts";

/** Maximum number of things counted. */
const COUNTED = 100;
const NEAR_MS = 7 * 86_400_000;
const DAY = "YYYY-MM-DD";

/** A number of things, of which there may be more. */
interface Counted {
  readonly count: number;
  readonly isMore: boolean;
}

/** What managers of people may want to look at today, each with the way there. Shows nothing if all counts are zero. */
export function NeedsAttention() {
  const { attention } = texts.value.home;
  const isManager =
    me.value?.memberOf.some(({ rights }) => rights.userManagement || rights.roleManagement) === true;
  const { data = [] } = useLoad(
    `attention ${isManager}`,
    async (signal) => isManager ? await load(signal) : undefined,
  );
  // Without it, the home is as useful.
  const found = data.filter(({ counted: { count } }) => count > 0);
  if (found.length === 0) return null;
  return (
    <section>
      <h2>{attention.title}</h2>
      <ul class="rows">
        {found.map(({ name, to, counted: { count, isMore } }) => (
          <li key={name}>
            <Link to={to}>{attention[name](count, isMore)}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

async function load(signal: AbortSignal) {
  const soon = new Date(Date.now() + NEAR_MS).toISOString();
  const today = startOfDay(0);
  const [waiting, ending, keys, refused] = await Promise.all([
    countMembers({ waiting: true }, signal),
    countMembers({ endsBefore: soon }, signal),
    countKeys(soon, signal),
    queryChanges(
      { filter: { decision: "refused", from: new Date(today).toISOString() }, limit: COUNTED + 1 },
      signal,
    ),
  ]);
  return [
    { name: "waiting", to: "/people?list=waiting", counted: waiting },
    { name: "ending", to: "/people?list=ending", counted: ending },
    { name: "keys", to: "/account?tab=sessions", counted: keys },
    {
      name: "refused",
      to: `/changes?decision=refused&from=${today.slice(0, DAY.length)}`,
      counted: { count: Math.min(COUNTED, refused.change.length), isMore: refused.change.length > COUNTED },
    },
  ] as const;
}

async function countMembers(
  filter: { readonly waiting: true } | { readonly endsBefore: string },
  signal: AbortSignal,
): Promise<Counted> {
  const { member, nextCursor } = await queryMembers("*", { filter, limit: COUNTED }, signal);
  return { count: member.length, isMore: typeof nextCursor === "string" };
}

/** Counts those of the viewer's latest keys that expire before a time. */
async function countKeys(before: string, signal: AbortSignal): Promise<Counted> {
  const params = { query: { limit: COUNTED } };
  const { key } = await dataOf(api.GET("/user/key", { params, signal }));
  const count = key.filter(({ expiresAt }) => typeof expiresAt === "string" && expiresAt < before).length;
  return { count, isMore: false };
}
