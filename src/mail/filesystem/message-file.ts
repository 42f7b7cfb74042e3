import { readIfExists } from '../../base/index.ts';
import type { MailDocument } from '../../domain/index.ts';
import { parseDocument, renderDocument } from './document-text.ts';
import type { FileToMake } from './publish/make-visible.ts';
import { canonicalPath, type Layout } from './root/layout.ts';

export function messageFile(
  layout: Layout,
  { message_id, created_at_utc }: Pick<MailDocument, 'message_id' | 'created_at_utc'>,
): string {
  return `${layout.root}/${canonicalPath(message_id, created_at_utc)}`;
}

/** The file to publish. It need not be flushed at once, because the index can write it again. */
export function fileToMake(layout: Layout, document: MailDocument): FileToMake {
  return {
    staged: `${layout.staging}/${document.message_id}.${process.pid}.tmp`,
    file: messageFile(layout, document),
    text: renderDocument(document),
  };
}

/** Whether the file exists and matches the index. */
export function messageFileIsGood(layout: Layout, document: MailDocument): boolean {
  const text = readIfExists(messageFile(layout, document));
  if (text === undefined) return false;
  if (text === renderDocument(document)) return true;
  try {
    return renderDocument(parseDocument(text, document.message_id)) === renderDocument(document);
  } catch {
    return false;
  }
}
