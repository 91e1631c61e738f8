import type { RefObject } from "preact";
import { say } from "../../components/notice.tsx";
import { texts } from "../../language.ts";
import { saveFile } from "../../save_file.ts";
import type { ShownLine } from "./plot.tsx";
import { writeLines } from "./plot_csv.ts";
import { drawPicture } from "./plot_picture.ts";

interface PlotFilesProps {
  /** The plot's part of the page. */
  readonly section: RefObject<HTMLElement | null>;
  readonly shown: readonly ShownLine[];
  readonly title: string;
  /** The values of each line as text. */
  readonly told: readonly string[];
  /** Without its ending. */
  readonly fileName: string;
}

/** Saves what a plot shows: its values for a spreadsheet, or the plot as a picture. */
export function PlotFiles({ section, shown, title, told, fileName }: PlotFilesProps) {
  const { label, csv, png, saved } = texts.value.devices.files;
  const save = (name: string, content: Blob): void => {
    saveFile(name, content);
    say(saved(name));
  };
  const saveCsv = (): void =>
    save(`${fileName}.csv`, new Blob([writeLines(shown.map(({ line }) => line))], { type: "text/csv" }));
  const savePng = async (): Promise<void> => {
    if (section.current !== null) {
      save(`${fileName}.png`, await drawPicture(section.current, { title, shown, told }));
    }
  };
  return (
    <div class="plot-files" role="group" aria-label={label}>
      <button type="button" class="plain" onClick={saveCsv}>{csv}</button>
      <button type="button" class="plain" onClick={() => void savePng()}>{png}</button>
    </div>
  );
}
