import type { ByteSource } from './byte-source.ts';
import { bomLength, type FoundBlock } from './scan.ts';

/** Bytes to put in place of `[start, end)`. */
export interface Insertion {
  at: number;
  /** Line ends needed so that the new block stands on its own after what is there. */
  lead: string;
}

/**
 * Where a new message goes: above the newest one, below the file header and whatever introduction follows it.
 * Without any message: at the end.
 */
export function insertionPoint(source: ByteSource, firstMessage: FoundBlock | undefined): Insertion {
  const at = firstMessage?.start ?? source.size;
  const bom = bomLength(source);
  if (at <= bom) return { at: Math.max(at, bom), lead: '' };
  const tail = source.read(Math.max(bom, at - 4), Math.min(4, at - bom)).toString('latin1');
  const lead = /\n\r?\n$/.test(tail) ? '' : tail.endsWith('\n') ? '\n' : '\n\n';
  return { at, lead };
}

/** The header of a mailbox that does not exist yet. Who owns it is read from its path, never from here. */
export function newFileHeader(basename: string): string {
  const name = basename.replace(/\.md$/, '');
  const title = name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');
  return `---\nmailbox: ${name}\nschema: foundry-mailbox-v1\n---\n\n# ${title}\n\n`;
}
