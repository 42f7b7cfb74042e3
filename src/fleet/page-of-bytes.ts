/** Of one page of a list, as JSON, about. A page has at least one row, however heavy. */
export const PAGE_BYTES = 1024 * 1024;

/** The rows that fit on a page of so many rows and bytes; there is another page when rows are left. */
export function pageOfBytes<T>(rows: readonly T[], most: number, bytes = PAGE_BYTES): T[] {
  const page: T[] = [];
  let sum = 0;
  for (const row of rows.slice(0, most)) {
    sum += Buffer.byteLength(JSON.stringify(row));
    if (sum > bytes && page.length > 0) break;
    page.push(row);
  }
  return page;
}
