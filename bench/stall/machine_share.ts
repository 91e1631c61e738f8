/** How much of the machine other programs took meanwhile: the baseline of waits that are measured beside them. */

/** Ticks of all processors so far, and those of them that other programs used. */
export interface Ticks {
  readonly all: number;
  readonly others: number;
}

/** The processors' ticks by use (proc_stat(5)): guests are part of users. */
const USES = ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"] as const;
const IDLE = [USES.indexOf("idle"), USES.indexOf("iowait")];

/** Reads the ticks. Others are all programs but this process and its descendants, and what shares the machine. */
export function readTicks(): Ticks {
  const uses = fieldsOf("/proc/stat").slice(1, 1 + USES.length).map(Number);
  const all = sum(uses);
  return {
    all,
    others: all - sum(IDLE.map((i) => uses[i] ?? 0)) - sum(ownProcesses().map(({ ticks }) => ticks)),
  };
}

/** The part of the machine that others left between two readings: 1 on an idle one. */
export function shareLeft(before: Ticks, after: Ticks): number {
  return 1 - Math.max(0, after.others - before.others) / Math.max(1, after.all - before.all);
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
}

/** This process and its descendants. */
function ownProcesses(): Process[] {
  const processes = [...Deno.readDirSync("/proc")].flatMap(({ name }) =>
    /^\d+$/.test(name) ? readProcess(name) : []
  );
  const own = processes.filter(({ pid }) => pid === Deno.pid);
  for (const { pid } of own) own.push(...processes.filter(({ parent }) => parent === pid));
  return own;
}

/** Empty if the process has ended. */
function readProcess(pid: string): Process[] {
  try {
    const [, parent, ...fields] = fieldsOf(`/proc/${pid}/stat`);
    return [{ pid: Number(pid), parent: Number(parent), ticks: Number(fields[9]) + Number(fields[10]) }];
  } catch {
    return [];
  }
}

/** The fields of the first line; of a process, those after its name, which may have blanks. */
function fieldsOf(path: string): string[] {
  const [line = ""] = Deno.readTextFileSync(path).split("\n", 1);
  return line.slice(line.lastIndexOf(")") + 1).trim().split(/\s+/);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
