/** The output of the bar: `Deno.stderr`, or a stand-in of a test. */
export interface ProgressOutput {
  isTerminal(): boolean;
  writeSync(bytes: Uint8Array): number;
}

export interface Progress {
  /** Counts `steps` further steps as done. */
  advance(steps?: number): void;
  /** Removes the bar, so that the next output starts on a clean line. */
  finish(): void;
}

const WIDTH = 40;
const TO_LINE_START_AND_CLEAR = "\r\x1b[K";
const encoder = new TextEncoder();

/**
 * Creates a progress bar for `total` steps on standard error, shown only on a terminal. It is redrawn only when the
 * percentage changes, so frequent calls are cheap.
 */
export function progress(total: number, output: ProgressOutput = Deno.stderr): Progress {
  const visible = output.isTerminal() && total > 0;
  let done = 0;
  let drawnPercent = -1;

  function write(text: string): void {
    output.writeSync(encoder.encode(text));
  }

  return {
    advance(steps = 1): void {
      done = Math.min(total, done + steps);
      const percent = Math.floor((done / total) * 100);
      if (!visible || percent === drawnPercent) return;
      drawnPercent = percent;
      const filled = Math.round((WIDTH * percent) / 100);
      write(`${TO_LINE_START_AND_CLEAR}[${"#".repeat(filled)}${"-".repeat(WIDTH - filled)}] ${percent}%`);
    },
    finish(): void {
      if (visible) write(TO_LINE_START_AND_CLEAR);
    },
  };
}
