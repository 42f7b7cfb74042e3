import { sha256 } from '../../base/index.ts';

/** What goes into the ledger for a text before it is given to the tool. */
export function fingerprint(text: string): { bytes: number; sha256: string } {
  return { bytes: Buffer.byteLength(text), sha256: sha256(text) };
}
