import { NoRoles } from "../../components/absent.tsx";
import { Heading } from "../../components/heading.tsx";
import { Link } from "../../components/link.tsx";
import { LoadingNote } from "../../components/loading_note.tsx";
import { Name } from "../../components/name.tsx";
import { formatComing, texts } from "../../language.ts";
import { me } from "../../me.ts";
import { query, readId, withQuery } from "../../router.ts";
import { useLoad } from "../../use_load.ts";
import { useTitle } from "../../use_title.ts";
import { EndedDevices } from "../devices/ended_devices.tsx";
import type { ViewProps } from "../view_props.ts";
import { areFew } from "./at_role.tsx";
import { NeedsAttention } from "./attention.tsx";
import { House } from "./house.tsx";
import { type Home as HomeData, loadHome, type OwnRole } from "./load_home.ts";
import { RolesBelow } from "./roles_below.tsx";

/** `/home`: what the viewer has. `/home?of=12`: what is below one of their roles. */
export function Home(_: ViewProps) {
  const memberOf = me.value?.memberOf;
  const { data, problem } = useLoad(
    `home ${JSON.stringify(memberOf)}`,
    (signal) => memberOf === undefined ? Promise.resolve(undefined) : loadHome(memberOf, signal),
  );
  useTitle(data?.roles.length === 0 ? undefined : texts.value.views.home);
  if (data === undefined) {
    return (
      <main class="alone">
        <LoadingNote problem={problem} class="loading" />
      </main>
    );
  }
  if (data.roles.length === 0) return <NoRoles />;
  return <Found data={data} />;
}

function Found({ data }: { readonly data: HomeData }) {
  const { home } = texts.value;
  const { roles, devices, hasMoreDevices } = data;
  const asked = readId(query.value.get("of"));
  const chosen = roles.find(({ roleId }) => roleId === asked) ?? roles[0];
  const below = roles.reduce((sum, { summary }) => sum + (summary?.descendants ?? 0), 0);
  return (
    <main class="home">
      <header class="home-title">
        <Heading>
          {chosen && roles.length === 1 ? <Name>{chosen.name}</Name> : home.roles(roles.length)}
        </Heading>
        {chosen?.until !== undefined && roles.length === 1 && (
          <p class="until">{home.yours(formatComing(chosen.until))}</p>
        )}
      </header>
      <NeedsAttention />
      {roles.length > 1 && <OwnRoles roles={roles} chosen={chosen} />}
      {areFew(devices, hasMoreDevices, below)
        ? <House devices={devices} titleId={roles.length === 1 ? chosen?.roleId : undefined} />
        : chosen && <RolesBelow key={chosen.roleId} own={chosen} />}
      <EndedDevices filter={{}} />
      {chosen && (
        <p>
          <Link to={`/role/${chosen.roleId}`} class="way-on">{home.picture}</Link>
        </p>
      )}
    </main>
  );
}

interface OwnRolesProps {
  readonly roles: readonly OwnRole[];
  /** The one whose surroundings are shown. */
  readonly chosen: OwnRole | undefined;
}

/** The viewer's roles, each with the end of the membership and what is below. */
function OwnRoles({ roles, chosen }: OwnRolesProps) {
  const { home } = texts.value;
  return (
    <nav aria-label={home.roles(roles.length)}>
      <ul class="own-roles">
        {roles.map(({ roleId, name, summary, until }) => (
          <li key={roleId}>
            <Link to={withQuery({ of: String(roleId) })} isCurrent={roleId === chosen?.roleId}>
              <Name>{name}</Name>
              <small>
                {until === undefined
                  ? home.below(summary?.descendants ?? 0)
                  : home.yours(formatComing(until))}
              </small>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
