import { dashedStamp, invalid, randomHex } from '../base/index.ts';
import { NAME_PREFIX } from '../wire/houmao/index.ts';
import type { BackendKind } from './backend.ts';
import { LIMITS, limit, limitHint } from './limits.ts';
import { allowedIn, isName } from './names.ts';

/** Longest name or id of a record; they become directory names and parts of tmux session names. */
export const LONGEST_NAME = LIMITS.nameLength.most;

const RESERVED = new RegExp(`^${NAME_PREFIX}[-_]`, 'i');
const ALLOWED = allowedIn('agent');

/** Whether this text may stand as an agent name or id in a record. Prefixed names pass: other programs publish them. */
export function isAgentIdentifier(text: string): boolean {
  return text.length <= LONGEST_NAME && isName('agent', text);
}

/** A name a person chose for an agent: the grammar, and not one of the reserved canonical names. */
export function parseAgentName(text: string, field = 'agent name'): string {
  const name = text.trim();
  if (RESERVED.test(name)) {
    throw invalid(`${field} "${name}" begins with the reserved prefix ${NAME_PREFIX}`, {
      hint: `Give the bare name, for example "${name.replace(RESERVED, '') || 'worker'}".`,
    });
  }
  if (name.length > limit('nameLength'))
    throw invalid(`${field} is longer than ${limit('nameLength')} characters`, {
      hint: limitHint('nameLength'),
    });
  return requireIdentifier(name, field);
}

/** An agent id as given by a caller. The id is the authoritative key and a directory name, so nothing else passes. */
export function parseAgentId(text: string, field = 'agent id'): string {
  return requireIdentifier(text.trim(), field);
}

function requireIdentifier(text: string, field: string): string {
  if (text === '') throw invalid(`${field} must not be empty`, { hint: `Allowed: ${ALLOWED}.` });
  if (text.length > LONGEST_NAME) throw invalid(`${field} is longer than ${LONGEST_NAME} characters`);
  if (!isName('agent', text)) {
    throw invalid(`${field} ${JSON.stringify(text)} is not valid`, { hint: `Allowed: ${ALLOWED}.` });
  }
  return text;
}

/** `gpu` → prefix and `-gpu`. A canonical name stays as it is. */
export function canonicalAgentName(name: string): string {
  return name.startsWith(`${NAME_PREFIX}-`) ? name : `${NAME_PREFIX}-${name}`;
}

/** Without the prefix: the two spellings under which one agent may be asked for. */
export function bareAgentName(name: string): string {
  return name.startsWith(`${NAME_PREFIX}-`) ? name.slice(NAME_PREFIX.length + 1) : name;
}

/** The id an agent has when nobody chose one: MD5 of its bare name. A key, not a secret. */
export function defaultAgentId(name: string): string {
  return process.getBuiltinModule('node:crypto').createHash('md5').update(name, 'utf8').digest('hex');
}

/** The tmux session of an agent launched without `--session-name`. A collision is an error, never a rename. */
export function tmuxSessionName(name: string, at: Date): string {
  return `${canonicalAgentName(name)}-${at.getTime()}`;
}

/** `<backend>-<YYYYMMDD-HHMMSSZ>-<8 hex>`, with `joined-` before it for a session that was adopted. */
export function runtimeSessionId(backend: BackendKind, at: Date, joined = false): string {
  return `${joined ? 'joined-' : ''}${backend}-${dashedStamp(at)}-${randomHex(4)}`;
}
