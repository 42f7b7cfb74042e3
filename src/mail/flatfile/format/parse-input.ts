import { isUtf8 } from 'node:buffer';
import { invalid } from '../../../base/index.ts';
import { checkMessage } from './block.ts';
import { type FlatMessage, MAX_ENVELOPE_LINES, parseKeyLine } from './envelope.ts';

const EXAMPLE =
  'a message is: ---, key: value lines with at least from, to and re, ---, an empty line, the body';

/**
 * Parses one message as people and scripts write it: an envelope between two `---` lines, then the body, literally to
 * the end of the input. One final line end belongs to the input, not to the body.
 */
export function parseInput(input: string | Uint8Array): FlatMessage {
  if (typeof input !== 'string' && !isUtf8(input)) throw invalid('the message is not valid UTF-8');
  const text = (typeof input === 'string' ? input : Buffer.from(input).toString('utf8')).replace(
    /^\ufeff/,
    '',
  );
  if (text.trim() === '') throw invalid('the message is empty', { hint: EXAMPLE });
  const lines = text.replace(/^(?:[ \t]*\r?\n)+/, '');
  const fields = new Map<string, string>();
  let at = endOfLine(lines, 0);
  if (!isRule(lines.slice(0, at))) {
    throw invalid('the message must begin with a line ---', { hint: EXAMPLE });
  }
  for (let n = 1; ; n++) {
    if (at >= lines.length || n > MAX_ENVELOPE_LINES) {
      throw invalid('the envelope is not closed: a second line --- is missing', { hint: EXAMPLE });
    }
    const end = endOfLine(lines, at);
    const line = lines.slice(at, end).replace(/\r?\n$/, '');
    at = end;
    if (isRule(line)) break;
    takeLine(fields, line, n + 1);
  }
  const body = lines
    .slice(at)
    .replace(/^\r?\n/, '')
    .replace(/\r?\n$/, '');
  return checkMessage({ fields, body });
}

function takeLine(fields: Map<string, string>, line: string, number: number): void {
  const field = parseKeyLine(line);
  if (!field) {
    throw invalid(
      `line ${number} of the envelope is not "key: value": ${JSON.stringify(line.slice(0, 80))}`,
      {
        hint: EXAMPLE,
      },
    );
  }
  if (fields.has(field.key)) throw invalid(`${field.key} occurs twice in the envelope`);
  fields.set(field.key, field.value);
}

const isRule = (line: string): boolean => /^---[ \t]*\r?\n?$/.test(line);

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at + 1;
}
