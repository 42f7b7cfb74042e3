/** What this line prints to. Set once for each line. */
interface Terminal {
  /** Undefined: no terminal, so no limit. */
  columns: number | undefined;
  colours: boolean;
}

let terminal: Terminal = { columns: undefined, colours: false };

export function setOutputTerminal(now: Terminal): void {
  terminal = now;
}

/** Times for people are local, unless the line has --utc. */
let inUtc = false;

export function showTimesInUtc(utc: boolean): void {
  inUtc = utc;
}

export const areTimesInUtc = (): boolean => inUtc;

export const outputColumns = (): number | undefined => terminal.columns;

/** The titles of tables and of help. */
export const titled = (line: string): string => (terminal.colours ? `\u001b[2m${line}\u001b[0m` : line);
