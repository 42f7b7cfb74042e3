import { readBlockBody } from './block.ts';
import type { ByteSource } from './byte-source.ts';
import type { FlatMessage } from './envelope.ts';
import type { FoundBlock } from './scan.ts';

/** The fields by key. If a key occurs twice, the last one counts, as in YAML readers. */
export function fieldMap(block: FoundBlock): Map<string, string> {
  return new Map(block.fields.map(({ key, value }) => [key, value]));
}

/** The message of a block with its whole body. */
export function readMessage(source: ByteSource, block: FoundBlock): FlatMessage {
  const text = source.read(block.bodyStart, block.end - block.bodyStart).toString('utf8');
  return { fields: fieldMap(block), body: readBlockBody(text, block.eol) };
}

const PREVIEW_BYTES = 8192;

/** The message with only the head of its body: enough for a preview, whatever its size. */
export function readHead(source: ByteSource, block: FoundBlock): FlatMessage {
  const length = block.end - block.bodyStart;
  if (length <= PREVIEW_BYTES) return readMessage(source, block);
  const text = source
    .read(block.bodyStart, PREVIEW_BYTES)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
  return { fields: fieldMap(block), body: readBlockBody(text, block.eol) };
}
