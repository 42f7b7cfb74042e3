import { parse as parseYaml } from 'yaml';
import { invalid, messageOf } from '../../base/index.ts';
import type { MailDocument } from '../../domain/index.ts';
import { checkMail, mailDocumentSchema } from '../schema/index.ts';

const OPEN = '---\n';
const CLOSE = '\n---\n';
const MAX_FRONT_MATTER_LENGTH = 1024 * 1024;

/** Renders the message file: YAML front matter, an empty line, then the body exactly as passed. */
export function renderDocument(message: MailDocument): string {
  const { body, ...envelope } = message;
  const lines = Object.entries(envelope).flatMap(([key, value]) => renderField(key, value));
  return `${OPEN}${lines.join('\n')}${CLOSE}${body === '' ? '' : `\n${body}`}`;
}

/** Parses the output of renderDocument, and the same format written by others. Strict: anything odd is `invalid`. */
export function parseDocument(text: string, what: string): MailDocument {
  const end = text.startsWith(OPEN) ? text.indexOf(CLOSE, OPEN.length - 1) : -1;
  if (end < 0 || end > MAX_FRONT_MATTER_LENGTH)
    throw invalid(`${what}: no front matter between two --- lines`);
  const rest = text.slice(end + CLOSE.length);
  const fields = parseFrontMatter(text.slice(OPEN.length, end), what);
  const body = rest.startsWith('\n') ? rest.slice(1) : rest;
  return checkMail(mailDocumentSchema, { ...DEFAULTS, ...dropNulls(fields), body }, what);
}

const DEFAULTS = { in_reply_to: null, references: [], cc: [], reply_to: [], attachments: [], headers: {} };

function parseFrontMatter(yaml: string, what: string): Record<string, unknown> {
  let fields: unknown;
  try {
    fields = parseYaml(yaml, { schema: 'core', uniqueKeys: true, maxAliasCount: 0, logLevel: 'error' });
  } catch (error) {
    throw invalid(`${what}: front matter is not YAML: ${messageOf(error).split('\n')[0]}`, { cause: error });
  }
  if (fields === null || typeof fields !== 'object' || Array.isArray(fields)) {
    throw invalid(`${what}: front matter is not a map`);
  }
  return fields as Record<string, unknown>;
}

/** Optional fields of parties and attachments may be null. */
function dropNulls(fields: Record<string, unknown>): Record<string, unknown> {
  const clean = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(clean);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null));
  };
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, key === 'headers' ? value : clean(value)]),
  );
}

function renderField(key: string, value: unknown): string[] {
  if (key === 'headers') return [`headers: ${flow(value)}`];
  if (Array.isArray(value)) return renderList(key, value);
  if (value !== null && typeof value === 'object') {
    return [`${key}:`, ...renderMap(value).map((line) => `  ${line}`)];
  }
  return [`${key}: ${scalar(value)}`];
}

function renderList(key: string, items: unknown[]): string[] {
  if (items.length === 0) return [`${key}: []`];
  return [
    `${key}:`,
    ...items.flatMap((item) =>
      item !== null && typeof item === 'object'
        ? renderMap(item).map((line, i) => `${i === 0 ? '  - ' : '    '}${line}`)
        : [`  - ${scalar(item)}`],
    ),
  ];
}

function renderMap(map: object): string[] {
  return Object.entries(map)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${scalar(value)}`);
}

/** Words that are text to us but something else to some YAML readers. */
const LOOKS_TYPED = /^(?:true|false|yes|no|on|off|null|y|n|\.inf|\.nan)$/i;
const PLAIN = /^[A-Za-z][A-Za-z0-9_.@/+-]*(?: [A-Za-z0-9_.@/+(][A-Za-z0-9_.@/+(),!-]*)*$/;

function scalar(value: unknown): string {
  return typeof value === 'string' && PLAIN.test(value) && !LOOKS_TYPED.test(value) ? value : flow(value);
}

/** JSON is YAML once the characters that YAML forbids unescaped are escaped. */
function flow(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
