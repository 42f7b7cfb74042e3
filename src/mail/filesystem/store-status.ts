import * as fs from 'node:fs';
import * as path from 'node:path';
import type { OpenRoot } from './root/open-root.ts';

/** What a person should know: bad files that were set aside, and files or flags that could not be written. */
export function storeWarnings(store: OpenRoot): { setAsideCount: number; warnings: string[] } {
  const setAsideCount = quarantined(store.layout.quarantine).length;
  const warnings: string[] = [];
  if (setAsideCount > 0) {
    warnings.push(
      `${setAsideCount} file(s) that are no valid messages were put aside in ${store.layout.quarantine}`,
    );
  }
  if (store.badRowCount > 0)
    warnings.push(`${store.badRowCount} message(s) in the index cannot be read; run: rouse mailbox repair`);
  if (store.db.readOnly) warnings.push('the store can be read but not written');
  const { trouble } = store.publisher;
  if (trouble !== undefined) warnings.push(`message files or links cannot be written: ${trouble}`);
  if (store.journal.trouble !== undefined)
    warnings.push(`state journal cannot be written: ${store.journal.trouble}`);
  return { setAsideCount, warnings };
}

/** Every file below staging/quarantine. */
export function quarantined(directory: string): string[] {
  if (!fs.existsSync(directory)) return [];
  return fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name));
}
