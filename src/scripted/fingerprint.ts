import { sha256 } from '../base/index.ts';

/** How a text is compared without being shown: by the hash and size of its UTF-8 bytes. */
export function fingerprint(text: string): { sha256: string; bytes: number; chars: number } {
  let chars = 0;
  for (const _ of text) chars++;
  return { sha256: sha256(text), bytes: Buffer.byteLength(text), chars };
}
