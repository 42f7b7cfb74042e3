import { sha256 } from '../base/index.ts';

/** Hash and size of a text, to compare it without showing it. */
export function fingerprint(text: string): { sha256: string; bytes: number; chars: number } {
  let chars = 0;
  for (const _ of text) chars++;
  return { sha256: sha256(text), bytes: Buffer.byteLength(text), chars };
}
