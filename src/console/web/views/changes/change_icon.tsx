const PATHS: Readonly<Record<string, string>> = {
  role: "M4 6.5h12v7H4z",
  manages: "M6.5 3h7v4h-7zM6.5 13h7v4h-7zM10 7v6",
  member: "M10 4a3 3 0 1 1 0 6a3 3 0 1 1 0-6M4 17a6 6 0 0 1 12 0",
  key: "M7 10.5a3 3 0 1 1 0 .01M9.9 10h7v3M14 10v2",
  device: "M5 5h10v7H5zM8 16h4M10 12v4",
  monitors: "M5 5h10v7H5zM8 16h4M10 12v4",
  hierarchy: "M7.5 3h5v4h-5zM3 13h5v4H3zM12 13h5v4h-5zM10 7v3M5.5 13v-3h9v3",
};
const REFUSED = "M10 3.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13M5.4 5.4l9.2 9.2";

interface ChangeIconProps {
  readonly kind: string;
  readonly isRefused: boolean;
}

/** A small picture of the kind of change. The sentence beside it says the same. */
export function ChangeIcon({ kind, isRefused }: ChangeIconProps) {
  const [about = ""] = kind.split(".");
  return (
    <svg class="change-icon" width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
      <path d={isRefused ? REFUSED : PATHS[about] ?? PATHS["role"]} />
    </svg>
  );
}
