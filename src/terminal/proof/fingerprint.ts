import { createHash } from 'node:crypto';

/** What goes into the ledger for a text before it is given to the tool. */
export function fingerprint(text: string): { bytes: number; sha256: string } {
  return { bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') };
}
