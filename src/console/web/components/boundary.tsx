import { Component, type ComponentChildren } from "preact";
import { texts } from "../language.ts";

interface BoundaryProps {
  readonly children: ComponentChildren;
}

/**
 * Says that a view cannot be shown, instead of a blank page. Mostly its file did not arrive: the connection was lost, or
 * the service has been replaced by a newer version since the page was loaded, which loading it again cures.
 */
export class Boundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static override getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(error: unknown): void {
    reportError(error);
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    const { title, text, reload } = texts.value.failure;
    return (
      <main class="alone">
        <h1>{title}</h1>
        <p role="alert">{text}</p>
        <button type="button" class="go" onClick={() => location.reload()}>{reload}</button>
      </main>
    );
  }
}
