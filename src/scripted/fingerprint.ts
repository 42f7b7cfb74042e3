import { createHash } from 'node:crypto';

/** How a text is compared without being shown: by the hash and size of its UTF-8 bytes. */
export function fingerprint(text: string): { sha256: string; bytes: number; chars: number } {
  const bytes = Buffer.from(text, 'utf8');
  let chars = 0;
  for (const _ of text) chars++;
  return { sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length, chars };
}
