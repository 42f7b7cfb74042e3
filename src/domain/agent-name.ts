import { dashedStamp, invalid, randomHex } from '../base/index.ts';
import { NAME_PREFIX } from '../wire/houmao/index.ts';
import type { BackendKind } from './backend.ts';
import { LIMITS, limit, limitHint } from './limits.ts';
import { allowedIn, isName } from './names.ts';

/** Max length of a name or id in a record. They become directory names and parts of tmux session names. */
export const MAX_NAME_LENGTH = LIMITS.nameLength.max;

const RESERVED = new RegExp(`^${NAME_PREFIX}[-_]`, 'i');
const ALLOWED = allowedIn('agent');

/** Whether this text may be an agent name or id in a record. Prefixed names pass, because other programs publish them. */
export function isAgentIdentifier(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && isName('agent', text);
}

/** Parses a name that a person chose for an agent: valid, and not one of the reserved canonical names. */
export function parseAgentName(text: string, field = 'agent name'): string {
  const name = text.trim();
  if (RESERVED.test(name)) {
    throw invalid(`${field} "${name}" begins with the reserved prefix ${NAME_PREFIX}`, {
      hint: `Use the bare name, for example "${name.replace(RESERVED, '') || 'worker'}".`,
    });
  }
  if (name.length > limit('nameLength'))
    throw invalid(`${field} is longer than ${limit('nameLength')} characters`, {
      hint: limitHint('nameLength'),
    });
  return requireIdentifier(name, field);
}

/** Parses an agent id from a caller. The id is the authoritative key and a directory name, so nothing else passes. */
export function parseAgentId(text: string, field = 'agent id'): string {
  return requireIdentifier(text.trim(), field);
}

function requireIdentifier(text: string, field: string): string {
  if (text === '') throw invalid(`${field} must not be empty`, { hint: `Allowed: ${ALLOWED}.` });
  if (text.length > MAX_NAME_LENGTH) throw invalid(`${field} is longer than ${MAX_NAME_LENGTH} characters`);
  if (!isName('agent', text)) {
    throw invalid(`${field} ${JSON.stringify(text)} is not valid`, { hint: `Allowed: ${ALLOWED}.` });
  }
  return text;
}

/** Adds the prefix to a bare name such as `gpu`. A canonical name stays as it is. */
export function canonicalAgentName(name: string): string {
  return name.startsWith(`${NAME_PREFIX}-`) ? name : `${NAME_PREFIX}-${name}`;
}

/** The name without the prefix. An agent can be named either way. */
export function bareAgentName(name: string): string {
  return name.startsWith(`${NAME_PREFIX}-`) ? name.slice(NAME_PREFIX.length + 1) : name;
}

/** The id of an agent for which no one chose one: MD5 of its bare name. A key, not a secret. */
export function defaultAgentId(name: string): string {
  return process.getBuiltinModule('node:crypto').createHash('md5').update(name, 'utf8').digest('hex');
}

/** The tmux session of an agent launched without `--session-name`. A collision is an error, never a rename. */
export function tmuxSessionName(name: string, at: Date): string {
  return `${canonicalAgentName(name)}-${at.getTime()}`;
}

/** `<backend>-<YYYYMMDD-HHMMSSZ>-<8 hex>`, with `joined-` in front for a session that was adopted. */
export function runtimeSessionId(backend: BackendKind, at: Date, joined = false): string {
  return `${joined ? 'joined-' : ''}${backend}-${dashedStamp(at)}-${randomHex(4)}`;
}
