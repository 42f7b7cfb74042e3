import * as path from 'node:path';
import { invalid } from '../../base/index.ts';
import type { NewAttachment } from '../../domain/index.ts';
import type { Flag, Input } from '../command.ts';
import { readTextFile } from '../input/text-file.ts';
import { many, text } from './command.ts';

export const BODY: Flag[] = [
  { name: 'body-content', value: 'TEXT', summary: 'the text; otherwise --body-file or standard input' },
  { name: 'body-file', value: 'FILE', summary: 'file with the text; - is standard input' },
  { name: 'attach', value: 'FILE', summary: 'refer to this file; may be repeated', many: true },
  { name: 'attach-copy', value: 'FILE', summary: 'keep a copy of this file with the mail', many: true },
  {
    name: 'idempotency-key',
    value: 'KEY',
    summary: 'a retry with the same key and text is the same message',
  },
];

async function bodyOf(input: Input): Promise<string> {
  const content = text(input, 'bodyContent');
  const file = text(input, 'bodyFile');
  if (content !== undefined && file !== undefined)
    throw invalid('--body-content and --body-file exclude each other');
  if (content !== undefined) return content;
  if (file !== undefined && file !== '-') return readTextFile('--body-file', file);
  const typed = input.stdinIsTty && file === undefined ? '' : await input.stdin();
  // A forgotten flag and a script's empty standard input look alike: whoever means an empty message says so.
  if (typed === '' && file === undefined) {
    throw invalid('the message has no text', { hint: 'give --body-content, --body-file or standard input' });
  }
  return typed;
}

/** Text, attachments and key of a new message, from flags or standard input. */
export async function outgoing(input: Input) {
  const file =
    (copy: boolean) =>
    (name: string): NewAttachment => ({ path: path.resolve(name), copy });
  return {
    body_content: await bodyOf(input),
    attachments: [...many(input, 'attach').map(file(false)), ...many(input, 'attachCopy').map(file(true))],
    idempotency_key: text(input, 'idempotencyKey') ?? null,
  };
}
