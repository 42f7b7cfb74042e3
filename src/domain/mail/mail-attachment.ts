export const ATTACHMENT_KINDS = ['path_ref', 'managed_copy'] as const;
export type AttachmentKind = (typeof ATTACHMENT_KINDS)[number];

/**
 * An attachment in the stored document. `path_ref` names a file that stays where it is and may change. `managed_copy`
 * is our own copy, with its path relative to the mailbox root.
 */
export interface DocumentAttachment {
  attachment_id: string;
  kind: AttachmentKind;
  path: string;
  media_type: string;
  sha256?: string | undefined;
  size_bytes?: number | undefined;
  label?: string | undefined;
}

/** An attachment as callers see it. `locator` is an absolute path, if the store has one. */
export interface MailAttachment {
  attachment_id: string;
  kind: AttachmentKind | 'transport_owned';
  media_type: string;
  locator?: string;
  size_bytes?: number;
  sha256?: string;
  label?: string;
}

/** It becomes the name of a directory. */
export const ATTACHMENT_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Whether a managed copy may be kept at this path of the root. */
export function isManagedPath(path: string): boolean {
  return /^attachments\/managed\/[^/]+\/[^/]+$/.test(path) && !path.split('/').includes('..');
}

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

/** Guesses from the name alone, never from the bytes. */
export function mediaTypeOf(fileName: string): string {
  const extension = /\.([^./]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(MEDIA_TYPES, extension) ? MEDIA_TYPES[extension]! : 'application/octet-stream';
}
