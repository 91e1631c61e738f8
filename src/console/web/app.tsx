import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { addressFault } from "./address.ts";
import { Boundary } from "./components/boundary.tsx";
import { ProblemNote } from "./components/form.tsx";
import { UnknownPage } from "./components/unknown_page.tsx";
import { focusContent, takeFocus } from "./focus_content.ts";
import { Frame } from "./frame.tsx";
import { texts } from "./language.ts";
import { path } from "./router.ts";
import { sessionState, startProblem } from "./session.ts";
import { reloadRefused } from "./use_load.ts";
import { isView, VIEWS } from "./views.ts";
import { Goodbye, hasLeft } from "./views/account/goodbye.tsx";
import { SignIn } from "./views/sign_in/sign_in.tsx";
import { WrongAddress } from "./views/sign_in/wrong_address.tsx";

/** The whole page: the sign-in, or the view in the address. */
export function App() {
  const state = sessionState.value;
  const last = useRef(state);
  useEffect(() => {
    if (state === "in") reloadRefused();
    if (state === "in" && last.current === "out") focusContent();
    last.current = state;
  }, [state]);
  if (addressFault !== undefined) return <WrongAddress fault={addressFault} />;
  if (hasLeft.value) return <Goodbye />;
  if (state === "starting") return <Starting />;
  if (state === "out") return <SignIn hasEnded={false} />;
  return (
    <>
      <div hidden={state !== "in"}>
        <Frame>
          <CurrentView />
        </Frame>
      </div>
      {state === "over" && <SignIn hasEnded />}
      {state === "unsure" && <Starting />}
    </>
  );
}

function Starting() {
  return (
    <div class="loading">
      <p role="status">{texts.value.loading}</p>
      <ProblemNote problem={startProblem.value} isRetried />
    </div>
  );
}

/** The current view. Screen readers and the next Tab begin there when it opens. */
function CurrentView() {
  const [name = "role", ...parts] = path.value;
  const last = useRef(name);
  useLayoutEffect(() => {
    if (last.current === name) return;
    last.current = name;
    scrollTo(0, 0);
    takeFocus();
  }, [name]);
  if (!isView(name)) return <UnknownPage />;
  const { View } = VIEWS[name];
  return (
    <Boundary key={name}>
      <View parts={parts} waiting={<Starting />} />
    </Boundary>
  );
}
