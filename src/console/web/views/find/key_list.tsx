import { Dialog } from "../../components/dialog.tsx";
import { texts } from "../../language.ts";

interface KeyListProps {
  readonly onClose: () => void;
}

/** The keys that the console has besides those of the browser. */
export function KeyList({ onClose }: KeyListProps) {
  const { keys } = texts.value.find;
  const rows: readonly (readonly [readonly string[], string])[] = [
    [["/", "Ctrl K"], keys.find],
    [["?"], keys.show],
    [["↑", "↓", "←", "→"], keys.move],
    [["M"], keys.menu],
    [["Home", "End"], keys.ends],
    [["Enter"], keys.open],
    [["Ctrl Z"], keys.undo],
    [["Esc"], keys.leave],
  ];
  return (
    <Dialog title={keys.title} onClose={onClose}>
      <dl class="rows keys">
        {rows.map(([names, text]) => (
          <div key={text}>
            <dt>{names.map((name) => <kbd key={name}>{name}</kbd>)}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
