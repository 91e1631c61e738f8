import { describeProblem } from "./components/form.tsx";
import { say } from "./components/notice.tsx";
import { toProblem } from "./problem.ts";
import { signOut } from "./session.ts";

/** Signs out. A failure is shown: a user who only believes to be signed out would leave the page to others. */
export async function leave(): Promise<void> {
  await signOut().catch((error) => say(describeProblem(toProblem(error))));
}
