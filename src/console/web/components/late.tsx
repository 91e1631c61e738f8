import { useSignal } from "@preact/signals";
import type { ComponentChildren, FunctionComponent } from "preact";
import { useLayoutEffect } from "preact/hooks";

/**
 * Makes a hook that loads something, such as a component, when it is first used. The hook returns undefined until that is
 * there, and throws if it cannot be loaded, which `Boundary` catches.
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
  /** What stands in its place until it is there. */
  readonly waiting: ComponentChildren;
}

/** A component of a file that is loaded when it is first shown. */
export function late<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
): FunctionComponent<Props & LateProps> {
  const useComponent = makeLate(load);
  return function Late({ waiting, ...props }) {
    const Component = useComponent();
    // TypeScript does not see that the props without `waiting` are those of the component.
    return Component === undefined ? <>{waiting}</> : <Component {...props as unknown as Props} />;
  };
}
