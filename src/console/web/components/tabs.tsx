import { query, withQuery } from "../router.ts";
import { Link } from "./link.tsx";

interface TabsProps<Key extends string> {
  readonly label: string;
  /** The texts of the tabs by their names in the address, the default first. */
  readonly tabs: Readonly<Record<Key, string>>;
}

/** Links between the parts of a view. The current one is `?tab=` of the address. */
export function Tabs<Key extends string>({ label, tabs }: TabsProps<Key>) {
  const current = currentTab(tabs);
  const [first] = Object.keys(tabs);
  return (
    <nav class="tabs" aria-label={label}>
      {Object.entries<string>(tabs).map(([key, text]) => (
        <Link key={key} to={withQuery({ tab: key === first ? undefined : key })} isCurrent={key === current}>
          {text}
        </Link>
      ))}
    </nav>
  );
}

/** Returns the tab in the address, or the first. */
export function currentTab<Key extends string>(tabs: Readonly<Record<Key, string>>): Key {
  const keys = Object.keys(tabs) as Key[];
  return keys.find((key) => key === query.value.get("tab")) ?? keys[0] as Key;
}
