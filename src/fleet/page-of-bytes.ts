/** Approximate size of one page of a list, as JSON. A page has at least one row, however large. */
export const PAGE_BYTES = 1024 * 1024;

/**
 * Returns the rows that fit on a page of at most this many rows and bytes. If rows are left over, there is another
 * page.
 */
export function pageOfBytes<T>(rows: readonly T[], max: number, bytes = PAGE_BYTES): T[] {
  const page: T[] = [];
  let sum = 0;
  for (const row of rows.slice(0, max)) {
    sum += Buffer.byteLength(JSON.stringify(row));
    if (sum > bytes && page.length > 0) break;
    page.push(row);
  }
  return page;
}
