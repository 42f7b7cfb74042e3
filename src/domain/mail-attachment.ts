import { z } from 'zod';
import { headerLine } from './mail-check.ts';

export const ATTACHMENT_KINDS = ['path_ref', 'managed_copy'] as const;

/**
 * A file that travels with a message, as the stored document holds it. `path_ref` names a file that stays
 * where it is and may change; `managed_copy` is our own copy, its path relative to the mailbox root.
 */
export const documentAttachmentSchema = z
  .strictObject({
    attachment_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'is not an attachment id'),
    kind: z.enum(ATTACHMENT_KINDS),
    path: headerLine(4096),
    media_type: headerLine(200),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be 64 lowercase hex digits')
      .optional(),
    size_bytes: z.int().min(0).optional(),
    label: headerLine(255).optional(),
  })
  .refine(({ kind, path }) => kind !== 'path_ref' || path.startsWith('/'), {
    path: ['path'],
    message: 'must be absolute for a path_ref',
  })
  .refine(({ kind, path }) => kind !== 'managed_copy' || isManagedPath(path), {
    path: ['path'],
    message: 'must lie in attachments/managed for a managed_copy',
  });
export type DocumentAttachment = z.output<typeof documentAttachmentSchema>;

function isManagedPath(path: string): boolean {
  return /^attachments\/managed\/[^/]+\/[^/]+$/.test(path) && !path.split('/').includes('..');
}

/** What a caller sees. `locator` is an absolute path, or null when the store has none to give. */
export const mailAttachmentSchema = z.strictObject({
  attachment_id: z.string(),
  kind: z.enum([...ATTACHMENT_KINDS, 'transport_owned']),
  media_type: z.string(),
  locator: z.string().optional(),
  size_bytes: z.number().optional(),
  sha256: z.string().optional(),
  label: z.string().optional(),
});
export type MailAttachment = z.output<typeof mailAttachmentSchema>;

/** What a caller gives: a local file; `copy` stores its bytes with the mail instead of a reference. */
export const newAttachmentSchema = z.strictObject({
  path: headerLine(4096).refine((path) => path.startsWith('/'), 'must be an absolute path'),
  label: headerLine(255).optional(),
  copy: z.boolean().optional(),
});
export type NewAttachment = z.output<typeof newAttachmentSchema>;

const MEDIA_TYPES: Record<string, string> = {
  csv: 'text/csv',
  gif: 'image/gif',
  gz: 'application/gzip',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  log: 'text/plain',
  md: 'text/markdown',
  patch: 'text/x-patch',
  diff: 'text/x-patch',
  pdf: 'application/pdf',
  png: 'image/png',
  py: 'text/x-python',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  toml: 'application/toml',
  ts: 'text/typescript',
  txt: 'text/plain',
  webp: 'image/webp',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
};

/** Guessed from the name alone; the bytes are never looked at. */
export function mediaTypeOf(fileName: string): string {
  const extension = /\.([^./]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(MEDIA_TYPES, extension) ? MEDIA_TYPES[extension]! : 'application/octet-stream';
}
