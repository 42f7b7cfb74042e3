let columns: number | undefined;

/** The width of the terminal that this line prints to. Set once for each line; undefined: no terminal, so no limit. */
export function setOutputColumns(width: number | undefined): void {
  columns = width;
}

export const outputColumns = (): number | undefined => columns;
