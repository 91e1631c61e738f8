/** The output folder of `deno task build`. */
export const CONSOLE_FOLDER = new URL("../../dist/console/", import.meta.url);

/** The one file whose name does not change with its content. */
export const ICON = "icon.svg";

/** The manifest of `deno task build`: file names below the folder. */
export interface ConsoleManifest {
  /** The first script of the page, and the files that it always loads. */
  readonly script: string;
  readonly preloads: readonly string[];
  readonly style: string;
  /** The style of the views that load after the first picture. */
  readonly lateStyle: string;
  /** All files that clients may load. */
  readonly files: readonly string[];
}
