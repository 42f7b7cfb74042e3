import { writeBlock } from '../format/block.ts';
import type { FlatMessage } from '../format/envelope.ts';
import { insertionPoint, newFileHeader } from '../format/layout.ts';
import { type FoundBlock, scanBlocks } from '../format/scan.ts';
import type { Snapshot } from './snapshot.ts';
import type { Part, Splice } from './splice.ts';

/** The newest message first, above the newest one there is, below the file header. Messages come oldest first. */
export function placeOnTop(basename: string, base: Snapshot, messages: readonly FlatMessage[]): Splice {
  const blocks = messages.map((message) => Buffer.from(writeBlock(message))).reverse();
  return placeBlocks(basename, base, blocks);
}

/** Ready blocks, in the order given. */
export function placeBlocks(basename: string, base: Snapshot, blocks: readonly Part[]): Splice {
  const { at, lead } = insertionPoint(base.source, firstMessage(base));
  const header = base.stat ? lead : newFileHeader(basename);
  return { start: at, end: at, insert: [Buffer.from(header), ...blocks] };
}

function firstMessage({ source }: Snapshot): FoundBlock | undefined {
  for (const block of scanBlocks(source)) if (block.kind === 'message') return block;
  return undefined;
}
