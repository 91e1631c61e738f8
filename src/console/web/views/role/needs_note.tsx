import { Link } from "../../components/link.tsx";
import { texts } from "../../language.ts";

/** What the viewer may not see of a role, and the way to where the right is lost and who can give it. */
export function NeedsNote({ roleId, text }: { readonly roleId: number; readonly text: string }) {
  return (
    <p class="hint">
      {text} <Link to={`/why?role=${roleId}&right=userManagement`}>{texts.value.views.why}</Link>
    </p>
  );
}
