import { Component, type ComponentChildren } from "preact";
import { texts } from "../language.ts";
import { useTitle } from "../use_title.ts";

interface BoundaryProps {
  readonly children: ComponentChildren;
  /** Takes away what failed and says so, if it was over a page, which stays. */
  readonly onFailed?: () => void;
}

/**
 * Shows a message instead of a blank page if a view fails. Usually its file did not arrive: the connection is lost,
 * or the service has a newer version, which a reload fixes.
 */
export class Boundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static override getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(error: unknown): void {
    reportError(error);
    this.props.onFailed?.();
  }

  override render() {
    const { children, onFailed } = this.props;
    if (!this.state.hasFailed) return children;
    return onFailed === undefined ? <Failure /> : null;
  }
}

function Failure() {
  const { title, text, reload } = texts.value.failure;
  useTitle(title);
  return (
    <main class="alone">
      <h1>{title}</h1>
      <p role="alert">{text}</p>
      <button type="button" class="go" onClick={() => location.reload()}>{reload}</button>
    </main>
  );
}
