import { refOf } from './block.ts';
import type { ByteSource } from './byte-source.ts';
import type { FlatMessage } from './envelope.ts';
import { fieldMap, readMessage } from './read-block.ts';
import { type FoundBlock, type ScanOptions, scanBlocks } from './scan.ts';

/** A message at its place in the file. Its body is read only on request. */
export class FoundMessage {
  readonly block: FoundBlock;
  readonly fields: ReadonlyMap<string, string>;
  #source: ByteSource;
  #ref: string | undefined;

  constructor(source: ByteSource, block: FoundBlock) {
    this.#source = source;
    this.block = block;
    this.fields = fieldMap(block);
  }

  get id(): string | undefined {
    return this.fields.get('msg-id') || undefined;
  }

  /** Its id, or a name made from its content. */
  get ref(): string {
    this.#ref ??= this.id ?? refOf(this.read());
    return this.#ref;
  }

  read(): FlatMessage {
    return readMessage(this.#source, this.block);
  }
}

/** The messages of a mailbox, newest first, without file headers. */
export function* messagesIn(source: ByteSource, options?: ScanOptions): Generator<FoundMessage> {
  for (const block of scanBlocks(source, options)) {
    if (block.kind === 'message') yield new FoundMessage(source, block);
  }
}

/** Returns those of these refs that the mailbox holds. */
export function refsIn(source: ByteSource, wanted: ReadonlySet<string>): Set<string> {
  const there = new Set<string>();
  if (wanted.size === 0) return there;
  const anonymous = [...wanted].some((ref) => ref.startsWith('~'));
  for (const message of messagesIn(source)) {
    if (message.id === undefined && !anonymous) continue;
    if (wanted.has(message.ref)) there.add(message.ref);
    if (there.size === wanted.size) break;
  }
  return there;
}
