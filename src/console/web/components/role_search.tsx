import { useEffect, useRef } from "preact/hooks";
import { focusContent } from "../focus_content.ts";
import { texts } from "../language.ts";
import { navigate } from "../router.ts";
import { RoleField } from "./role_field.tsx";
import { addressOfRole } from "./role_link.tsx";

/** A search for a role, on every page. "/" focuses it. */
export function RoleSearch() {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const { target, key, ctrlKey, metaKey, altKey } = event;
      const isTyping = target instanceof Element &&
        target.matches("input, textarea, select, [contenteditable]");
      if (key !== "/" || ctrlKey || metaKey || altKey || isTyping) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener("keydown", focus);
    return () => removeEventListener("keydown", focus);
  }, []);
  return (
    <div class="role-search">
      <RoleField
        label={texts.value.roleField.search}
        isLabelInside
        input={input}
        onRole={({ id }) => {
          navigate(addressOfRole(id));
          focusContent();
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  );
}
