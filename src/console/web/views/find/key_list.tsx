import { Dialog } from "../../components/dialog.tsx";
import { texts } from "../../language.ts";

/** The keys that the console has besides those of the browser. */
export function KeyList({ onClose }: { readonly onClose: () => void }) {
  const { keys } = texts.value.find;
  const [ctrl, home, end, enter, esc] = keys.names.split(" ");
  const rows: readonly (readonly [readonly (string | undefined)[], string])[] = [
    [["/", `${ctrl} K`], keys.find],
    [["?"], keys.show],
    [["↑", "↓", "←", "→"], keys.move],
    [["M"], keys.menu],
    [[home, end], keys.ends],
    [[enter], keys.open],
    [[`${ctrl} Z`], keys.undo],
    [[esc], keys.leave],
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
