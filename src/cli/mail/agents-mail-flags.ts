import * as fs from 'node:fs';
import * as path from 'node:path';
import { errnoOf, invalid, messageOf, notFound } from '../../base/index.ts';
import type { Flag, Input } from '../command.ts';
import { notBlank } from '../input/flag-values.ts';

export const MESSAGE_REF: Flag = {
  name: 'message-ref',
  value: 'REF',
  summary: 'the message, as "mail list" shows it',
  required: true,
  parse: notBlank,
};

export const MESSAGE_REFS: Flag = { ...MESSAGE_REF, many: true, summary: 'a message; may be repeated' };

export const BODY_FLAGS: Flag[] = [
  { name: 'body-content', value: 'TEXT', summary: 'the body; without it and --body-file, standard input' },
  { name: 'body-file', value: 'FILE', summary: 'a file that holds the body; - for standard input' },
];

export const OUTGOING_FLAGS: Flag[] = [
  ...BODY_FLAGS,
  { name: 'attach', value: 'FILE', summary: 'a file to attach, by reference; may be repeated', many: true },
  {
    name: 'idempotency-key',
    value: 'KEY',
    summary: 'a retry with the same key and content is the same message',
    parse: notBlank,
  },
];

export async function outgoing(input: Input): Promise<Record<string, unknown>> {
  const { flags } = input;
  const attach = (flags['attach'] ?? []) as string[];
  return {
    body_content: await bodyText(input),
    ...(attach.length > 0 && { attachments: attach.map((file) => ({ path: path.resolve(file) })) }),
    ...(flags['idempotencyKey'] !== undefined && { idempotency_key: flags['idempotencyKey'] }),
  };
}

export async function bodyText({ flags, stdin, stdinIsTty }: Input): Promise<string> {
  const content = flags['bodyContent'] as string | undefined;
  const file = flags['bodyFile'] as string | undefined;
  if (content !== undefined && file !== undefined)
    throw invalid('--body-content and --body-file exclude each other');
  if (content !== undefined) return content;
  if (file !== undefined && file !== '-') return readBody(file);
  if (!stdinIsTty) return stdin();
  throw invalid('there is no body', {
    hint: 'give --body-content or --body-file, or pipe it into standard input',
  });
}

function readBody(file: string): string {
  let bytes: Buffer;
  try {
    bytes = fs.readFileSync(file);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw notFound(`there is no file ${file}`);
    throw invalid(`${file} cannot be read: ${messageOf(error)}`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalid(`${file} is not UTF-8 text`);
  }
}
