import { writeBlock } from '../format/block.ts';
import type { ByteSource } from '../format/byte-source.ts';
import type { FlatMessage } from '../format/envelope.ts';
import { bomLength, type FoundBlock, scanBlocks } from '../format/scan.ts';
import type { Snapshot } from './snapshot.ts';
import type { Part, Splice } from './splice.ts';

/** Places messages above the newest one and below the file header. Pass them oldest first. */
export function placeOnTop(basename: string, base: Snapshot, messages: readonly FlatMessage[]): Splice {
  const blocks = messages.map((message) => Buffer.from(writeBlock(message))).reverse();
  return placeBlocks(basename, base, blocks);
}

/** Places ready blocks in the order passed. */
export function placeBlocks(basename: string, base: Snapshot, blocks: readonly Part[]): Splice {
  const { at, lead } = insertionPoint(base.source, firstMessage(base));
  const header = base.stat ? lead : newFileHeader(basename);
  return { start: at, end: at, insert: [Buffer.from(header), ...blocks] };
}

function firstMessage({ source }: Snapshot): FoundBlock | undefined {
  for (const block of scanBlocks(source)) if (block.kind === 'message') return block;
  return undefined;
}

interface Insertion {
  at: number;
  /** Line ends that separate the new block from what is before it. */
  lead: string;
}

/**
 * Where a new message goes: above the newest one, below the file header and any introduction after it. Without
 * messages: at the end.
 */
function insertionPoint(source: ByteSource, firstMessage: FoundBlock | undefined): Insertion {
  const at = firstMessage?.start ?? source.size;
  const bom = bomLength(source);
  if (at <= bom) return { at: Math.max(at, bom), lead: '' };
  const tail = source.read(Math.max(bom, at - 4), Math.min(4, at - bom)).toString('latin1');
  const lead = /\n\r?\n$/.test(tail) ? '' : tail.endsWith('\n') ? '\n' : '\n\n';
  return { at, lead };
}

/** The header of a new mailbox. The owner is derived from the path, never from this header. */
export function newFileHeader(basename: string): string {
  const name = basename.replace(/\.md$/, '');
  const title = name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');
  return `---\nmailbox: ${name}\nschema: foundry-mailbox-v1\n---\n\n# ${title}\n\n`;
}
