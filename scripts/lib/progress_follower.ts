import { type Progress, progress } from "./progress.ts";

/** A progress bar for work that reports its position instead of single steps. */
export interface ProgressFollower extends Disposable {
  readonly report: (done: number, total: number) => void;
  finish(): void;
}

/** Creates a bar, drawn from the first report on. `finish` and disposal remove it. */
export function followProgress(start: (total: number) => Progress = progress): ProgressFollower {
  let bar: Progress | undefined;
  let drawn = 0;
  const finish = (): void => {
    bar?.finish();
    bar = undefined;
    drawn = 0;
  };
  return {
    finish,
    [Symbol.dispose]: finish,
    report(done, total): void {
      // Restarted work reports less than before.
      if (done < drawn) finish();
      bar ??= start(total);
      bar.advance(done - drawn);
      drawn = done;
    },
  };
}
