import { Component, type ComponentChildren } from "preact";
import { texts } from "../language.ts";

/**
 * Shows a message instead of a blank page if a view fails. Usually its file did not arrive: the connection is lost,
 * or the service has a newer version, which a reload fixes.
 */
export class Boundary
  extends Component<{ readonly children: ComponentChildren }, { readonly hasFailed: boolean }> {
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
