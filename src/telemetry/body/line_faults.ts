import { LINE_PROTOCOL_TYPE } from "./media_types.ts";

/** Maximum number of lines that a response names. */
export const MAX_NAMED_LINES = 20;

/** A line that cannot be written. */
export interface LineFault {
  /** See `Point.line`. */
  readonly line: number;
  /** Undefined if the line cannot be read. */
  readonly nodeId: string | undefined;
  readonly message: string;
}

/** An element of `details` in the response. It repeats the nodeId, which the sender needs to find the device. */
export interface LineDetail extends Omit<LineFault, "nodeId"> {
  readonly path: string;
  readonly nodeId?: string;
}

/** The lines of a request that cannot be written: the first ones, and their number. */
export class LineFaults {
  readonly first: LineFault[] = [];
  count = 0;

  add(fault: LineFault): void {
    this.count++;
    if (!this.isFull) this.first.push(fault);
  }

  /** Whether further lines are only counted. */
  get isFull(): boolean {
    return this.first.length >= MAX_NAMED_LINES;
  }

  /** Returns the first lines as `details` of a response. */
  describe(mediaType: string): LineDetail[] {
    return this.first.map(({ line, nodeId, message }) => ({
      path: pathOf(line, mediaType),
      line,
      ...(nodeId === undefined ? {} : { nodeId }),
      message,
    }));
  }
}

/** Returns the path of a point within a body. */
export function pathOf(line: number, mediaType: string): string {
  return mediaType === LINE_PROTOCOL_TYPE ? `body.line ${line}` : `body.${line - 1}`;
}

/** Names a line within a sentence. */
export function nameLine({ line, nodeId }: LineFault): string {
  const device = nodeId === undefined ? "" : `, nodeId ${JSON.stringify(nodeId)}`;
  return `Line ${line} (in JSON: point ${line}, counted from 1)${device}`;
}
