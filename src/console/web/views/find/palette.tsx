import { useSignal } from "@preact/signals";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { Dialog } from "../../components/dialog.tsx";
import { describeProblem, useCountdown } from "../../components/form.tsx";
import { describeMatch, find, type Found, type Kind, LONGEST } from "../../find.ts";
import { focusContent } from "../../focus_content.ts";
import { texts } from "../../language.ts";
import { leave } from "../../leave.ts";
import { me } from "../../me.ts";
import { closeOverlay, overlay, takeAhead } from "../../overlay.ts";
import type { Problem } from "../../problem.ts";
import { loadRoles } from "../../roles.ts";
import { navigate, path, readId } from "../../router.ts";
import type { Role } from "../../schemas.ts";
import { useLoad } from "../../use_load.ts";
import { usePaused } from "../../use_paused.ts";
import {
  moreKey,
  type Option,
  optionsOfActions,
  optionsOfAddress,
  optionsOfCommands,
  optionsOfFound,
  optionsOfMine,
  optionsOfPages,
  optionsOfRecent,
} from "./options.tsx";
import { findPages } from "./pages.ts";
import { loadRecent, type Recent } from "./recent.ts";
import { askedRole, doablesFor, usualDoables } from "./role_actions.ts";
import { useFound } from "./use_found.ts";

/** Roles that an action is offered for. */
const ACTED_ON = 3;

/** Finds roles, people, devices, pages and actions (WAI-ARIA Authoring Practices, combobox). */
export function Palette() {
  const { find: words, finder } = texts.value;
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const text = useSignal("");
  useLayoutEffect(() => {
    text.value ||= takeAhead();
  }, []);
  const typed = text.value.trim();
  const { value: asked } = usePaused(typed);
  const search = useFound(asked);
  const pointedKey = useSignal<string | undefined>(undefined);
  /** Whether to choose the first hit once it is there. */
  const isWanted = useSignal(false);
  const acted = useActedOn(askedRole(asked), search.found.role[0]?.id);
  /** Where the first of further hits is to come, to be pointed at then. */
  const nextAt = useRef<number | undefined>(undefined);
  const onMore = (kind: Kind): void => {
    nextAt.current = options.findIndex(({ key }) => key === moreKey(kind));
    void search.more(kind);
  };
  const { data: recent = [] } = useLoad("recent", loadRecent);
  const options = listOptions(typed, asked, search.found, onMore, acted, recent);
  const pointed = Math.max(0, options.findIndex(({ key }) => key === pointedKey.value));
  const failed = search.problem ?? acted.problem;
  const isLate = failed === undefined && (search.text !== typed || acted.isLate);
  const choose = ({ chosen, staysOpen = false }: Option): void => {
    isWanted.value = false;
    const act = typeof chosen === "function" ? chosen : () => {
      navigate(chosen);
      focusContent();
    };
    if (staysOpen) act();
    else closeOverlay(act);
  };
  const point = (to: number): void => {
    pointedKey.value = options.at(to % options.length)?.key;
  };
  const enter = (): void => {
    const option = options[pointed];
    // What is shown may not be what was typed yet.
    if (isLate && pointedKey.value === undefined) isWanted.value = true;
    else if (option !== undefined) choose(option);
  };
  useEffect(() => {
    if (isWanted.value && !isLate && options[0] !== undefined) choose(options[0]);
    isWanted.value &&= isLate;
  }, [isLate]);
  useEffect(() => {
    if (nextAt.current !== undefined) point(nextAt.current);
    nextAt.current = undefined;
  }, [search.found]);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [pointedKey.value]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === "ArrowDown") point(pointed + 1);
    else if (event.key === "ArrowUp") point(pointed - 1);
    else if (event.key === "Home") point(0);
    else if (event.key === "End") point(-1);
    else if (event.key === "Enter") enter();
    else return;
    event.preventDefault();
  };
  const left = useCountdown(failed);
  const problem = failed && describeProblem(failed, left);
  const isNone = options.length === 0 && !isLate;
  const note = problem ??
    (isNone ? words.none : typed === "" ? undefined : describeMatch(asked, search.found));
  return (
    <Dialog title={finder} class="palette" onClose={closeOverlay} isTitleHidden>
      <input
        autofocus
        role="combobox"
        aria-label={finder}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={options.length > 0 ? `${id}-${pointed}` : undefined}
        aria-autocomplete="list"
        autocomplete="off"
        spellcheck={false}
        maxLength={LONGEST}
        placeholder={words.hint}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          pointedKey.value = undefined;
          isWanted.value = false;
          nextAt.current = undefined;
        }}
        onKeyDown={onKeyDown}
      />
      <p class="visually-hidden" role="status">
        {/* A wait is announced once, and visibly counts down. */}
        {!isLate && typed !== "" &&
          (failed ? describeProblem(failed, failed.retryAfter) : isNone ? note : words.hits(options.length))}
      </p>
      <ul ref={list} id={id} role="listbox" aria-label={finder} aria-busy={isLate}>
        {options.map((option, i) => (
          <li
            key={option.key}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === pointed}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(option)}
          >
            <span class="kind">{option.kind}</span> <span>{option.content}</span>
            {option.about && (
              <>
                {" "}
                <small>{option.about}</small>
              </>
            )}
          </li>
        ))}
      </ul>
      {note !== undefined && <p class={problem === undefined ? "hint" : "fault"}>{note}</p>}
    </Dialog>
  );
}

/** Returns all that can be chosen, in the order in which it is listed. */
function listOptions(
  typed: string,
  asked: string,
  found: Found,
  onMore: (kind: Kind) => void,
  acted: ActedOn,
  recent: readonly Recent[],
): Option[] {
  if (typed === "") {
    return [
      ...optionsOfMine(),
      ...optionsOfRecent(recent),
      ...acted.isInView ? optionsOfActions(doablesFor(acted.own, ""), "") : [],
      ...optionsOfPages(findPages(""), ""),
    ];
  }
  const named = askedRole(asked);
  return [
    ...optionsOfFound(found, asked, onMore),
    ...optionsOfAddress(typed, found),
    ...optionsOfPages(findPages(typed), typed),
    ...optionsOfActions(doablesFor(acted.own, typed), ""),
    ...optionsOfActions(doablesFor(acted.named, asked, named), named ?? ""),
    ...optionsOfActions(usualDoables(acted.found), asked),
    ...optionsOfCommands([
      [texts.value.account.signOut, () => void leave()],
      [texts.value.find.keys.show, () => overlay.value = "keys"],
    ], typed),
  ];
}

/** The roles that actions are offered for. */
interface ActedOn {
  /** The role that is shown, or else the first of the viewer's own. */
  readonly own: readonly Role[];
  readonly isInView: boolean;
  /** Those whose name was typed after an action. */
  readonly named: readonly Role[];
  /** The first that was found. */
  readonly found: readonly Role[];
  readonly isLate: boolean;
  readonly problem: Problem | undefined;
}

/** Loads the roles that actions are offered for, with the viewer's rights on them. */
function useActedOn(name: string | undefined, foundId: number | undefined): ActedOn {
  const inView = path.value[0] === "role" ? readId(path.value[1]) : undefined;
  const own = inView === undefined
    ? (me.value?.memberOf ?? []).slice(0, ACTED_ON).map(({ roleId }) => roleId)
    : [inView];
  const { data, problem } = useLoad(`acted on ${own} ${foundId} ${name}`, async (signal) => {
    const named = name === undefined
      ? []
      : (await find({ text: name, kind: ["role"], limit: ACTED_ON }, signal)).role.map(({ id }) => id);
    const ids = [...own, ...named, ...foundId === undefined ? [] : [foundId]];
    return { name, named, roles: await loadRoles(ids, signal) };
  });
  const get = (ids: readonly number[]): Role[] => ids.flatMap((id) => data?.roles.get(id) ?? []);
  const isLate = data?.name !== name;
  return {
    own: get(own),
    isInView: inView !== undefined,
    named: isLate ? [] : get(data?.named ?? []),
    found: get(foundId === undefined ? [] : [foundId]),
    isLate,
    problem,
  };
}
