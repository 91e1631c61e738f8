import { useSignal } from "@preact/signals";
import type { ComponentChildren, FunctionComponent } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { LoadingNote } from "./loading_note.tsx";

/**
 * Makes a hook that loads a thing, such as a component, on first use. The hook returns undefined until then, and
 * throws if loading fails, which `Boundary` catches.
 */
export function makeLate<Thing>(load: () => Promise<Thing>): () => Thing | undefined {
  let thing: Thing | undefined;
  return function useLate() {
    const result = useSignal<"loaded" | Error | undefined>(undefined);
    useLayoutEffect(() => {
      if (thing !== undefined) return;
      load().then((loaded) => {
        thing = loaded;
        result.value = "loaded";
      }).catch((error) => result.value = error);
    }, []);
    if (result.value instanceof Error) throw result.value;
    return thing;
  };
}

interface LateProps {
  /** The content shown until it is loaded. Without one, a note. */
  readonly waiting?: ComponentChildren;
}

/** Returns a component whose file is loaded when it is first shown. */
export function late<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
): FunctionComponent<Props & LateProps> {
  const useComponent = makeLate(load);
  return function Late({ waiting = <LoadingNote />, ...props }) {
    const Component = useComponent();
    // TypeScript cannot tell that the props without `waiting` are the component's.
    return Component === undefined ? <>{waiting}</> : <Component {...props as unknown as Props} />;
  };
}
