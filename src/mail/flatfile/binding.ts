import * as z from 'zod';
import { absolutePath, strict } from '../../domain/schemas.ts';
import { OWNER } from '../transport.ts';

/** The transport's name and the prefix of its refs. */
export const FLAT_FILE = 'flatfile';

export const flatFileBinding = strict({
  transport: z.literal(FLAT_FILE),
  ...OWNER,
  /** The directory that holds inbox.md and outbox.md. */
  mailbox_path: absolutePath,
  bindings_version: z.string(),
});

export type FlatFileBinding = z.infer<typeof flatFileBinding>;

/** Where a mail store is also possible, a path ending in .md is a flat file. */
export function isFlatFilePath(file: string): boolean {
  return file.endsWith('.md');
}
