import type { ComponentChildren } from "preact";
import type { DemoPerson, DemoStory } from "../../../demo_people.ts";
import { ProblemNote, useWork } from "../../components/form.tsx";
import { isolate, texts } from "../../language.ts";
import { page } from "../../page.ts";
import { navigate } from "../../router.ts";
import { askConsole, keepSession } from "../../session.ts";
import { useLoad } from "../../use_load.ts";

interface DemoProps {
  /** Whether the session has ended, and what was being done goes on after the sign-in. */
  readonly hasEnded: boolean;
  /** The sign-in of others. */
  readonly children: ComponentChildren;
}

/** The sign-in of the demo organization, in development: what the service is and stories to try before it, the people after. */
export function Demo({ hasEnded, children }: DemoProps) {
  const { demo: words } = texts.value.signIn;
  const { data, problem: loadProblem } = useLoad("demo", async (signal) => {
    const response = await askConsole("/console/demo", { signal });
    return await response.json() as { people: DemoPerson[]; stories: DemoStory[] };
  });
  const { isHeld, problem, run } = useWork();
  const enter = async (email: string, path?: string): Promise<void> => {
    const response = await askConsole(`/console/demo/${encodeURIComponent(email)}`, { method: "POST" });
    const refreshToken = await response.text();
    if (path !== undefined) navigate(path, { replace: true });
    await keepSession(refreshToken, true);
  };
  const { people = [], stories = [] } = data ?? {};
  // A database without the demo has none of them.
  const isThere = people.length > 0;
  const nameOf = (email: string): string => people.find((person) => person.email === email)?.name ?? email;
  const choiceOf = (title: string, note: string, onClick: () => Promise<void>) => (
    <li key={title}>
      <button type="button" aria-disabled={isHeld} onClick={() => void run(onClick)}>
        <b>{title}</b>
        <small>{note}</small>
      </button>
    </li>
  );
  return (
    <>
      {isThere && !hasEnded && (
        <section class="demo">
          <p>{words.about(isolate(page.issuerName))}</p>
          <h2>{words.title}</h2>
          <ul>
            {stories.map(({ name, email, path }) =>
              choiceOf(words.stories[name], words.as(isolate(nameOf(email))), () => enter(email, path))
            )}
          </ul>
          <p class="hint">
            <a href="/docs">{words.docs}</a>
          </p>
        </section>
      )}
      <ProblemNote problem={problem ?? loadProblem} />
      {children}
      {isThere && (
        <section class="demo">
          <h2>{words.people}</h2>
          <ul>
            {people.map(({ name, email, roles }) => choiceOf(name, roles.join(", "), () => enter(email)))}
          </ul>
          <p class="hint">{words.note}</p>
        </section>
      )}
    </>
  );
}
