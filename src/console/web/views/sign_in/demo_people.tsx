import { ProblemNote, useWork } from "../../components/form.tsx";
import { texts } from "../../language.ts";
import { problemOf } from "../../problem.ts";
import { keepSession } from "../../session.ts";
import { useLoad } from "../../use_load.ts";

interface Person {
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
}

/** The people of the demo organization, in development. */
export function DemoPeople() {
  const { signIn } = texts.value;
  const { state } = useLoad("demo", async (signal) => {
    const response = await ask("", { signal });
    return (await response.json() as { people: Person[] }).people;
  });
  const { isHeld, problem, run } = useWork();
  const enter = async ({ email }: Person): Promise<void> => {
    const response = await ask(`/${encodeURIComponent(email)}`, { method: "POST" });
    await keepSession(await response.text());
  };
  // A database without the demo has none of them.
  if (state.value.data?.length === 0) return null;
  return (
    <section class="demo">
      <h2>{signIn.demo}</h2>
      <ul>
        {state.value.data?.map((person) => (
          <li key={person.email}>
            <button type="button" aria-disabled={isHeld} onClick={() => void run(() => enter(person))}>
              <b>{person.name}</b>
              <small>{person.roles.join(", ")}</small>
            </button>
          </li>
        ))}
      </ul>
      <ProblemNote problem={problem ?? state.value.problem} />
      <p class="hint">{signIn.demoNote}</p>
    </section>
  );
}

async function ask(path: string, options: RequestInit): Promise<Response> {
  const response = await fetch(`/console/demo${path}`, options);
  if (response.ok) return response;
  throw problemOf(response, await response.json().catch(() => undefined));
}
