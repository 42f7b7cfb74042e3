import { sha256 } from '../../base/index.ts';

/** What the ledger stores about a text before it is typed. */
export function fingerprint(text: string): { bytes: number; sha256: string } {
  return { bytes: Buffer.byteLength(text), sha256: sha256(text) };
}
