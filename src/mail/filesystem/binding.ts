import * as z from 'zod';
import { absolutePath, strict } from '../../domain/schemas.ts';
import { OWNER } from '../transport.ts';

/** The transport's name and the prefix of its refs. */
export const FILESYSTEM = 'filesystem';

export const filesystemBinding = strict({
  transport: z.literal(FILESYSTEM),
  ...OWNER,
  filesystem_root: absolutePath,
  bindings_version: z.string(),
  mailbox_kind: z.enum(['in_root', 'symlink']),
  mailbox_path: absolutePath,
});

export type FilesystemBinding = z.infer<typeof filesystemBinding>;
