import { invalid, nearest } from '../../base/index.ts';
import type { Agent } from '../agent.ts';
import { fingerprint } from '../fingerprint.ts';
import { DIALOG_KINDS, type DialogKind } from './directives.ts';

type Fields = Record<string, unknown>;

interface FieldSpec {
  is: 'count' | 'ms' | 'text' | 'flag' | 'texts' | readonly string[];
  needed?: boolean;
}

interface CommandSpec {
  fields: Record<string, FieldSpec>;
  run: (agent: Agent, fields: Fields) => unknown;
}

const count: FieldSpec = { is: 'count' };
const ms: FieldSpec = { is: 'ms', needed: true };
const text: FieldSpec = { is: 'text' };

/** Everything that can be done to a running agent from outside, by the names of the control channel. */
export const CONTROL_COMMANDS: Record<string, CommandSpec> = {
  status: { fields: {}, run: (agent) => statusOf(agent) },
  replay: {
    fields: { since: count },
    run: (agent, fields) => agent.journal.since((fields['since'] as number | undefined) ?? 0),
  },
  'swallow-enter': {
    fields: { count },
    run: ({ faults }, fields) => {
      faults.swallowEnters = (fields['count'] as number | undefined) ?? 1;
    },
  },
  'lose-prompt': {
    fields: { count },
    run: ({ faults }, fields) => {
      faults.losePrompts = (fields['count'] as number | undefined) ?? 1;
    },
  },
  'ignore-paste': {
    fields: { count },
    run: ({ faults }, fields) => {
      faults.ignorePastes = (fields['count'] as number | undefined) ?? 1;
    },
  },
  'paste-limit': {
    fields: { bytes: { is: 'count', needed: true } },
    run: ({ faults }, fields) => {
      faults.pasteLimit = fields['bytes'] as number;
    },
  },
  burst: {
    fields: { ms, after: { is: ['paste', 'typing'] }, as: { is: ['swallow', 'newline'] } },
    run: ({ faults }, fields) => {
      faults.burst = { after: 'paste', as: 'swallow', ...(fields as { ms: number }) };
    },
  },
  'slow-redraw': {
    fields: { ms },
    run: ({ faults }, fields) => {
      faults.slowRedrawMs = fields['ms'] as number;
    },
  },
  'echo-late': {
    fields: { ms },
    run: ({ faults }, fields) => {
      faults.echoLateMs = fields['ms'] as number;
    },
  },
  'menu-late': {
    fields: { ms },
    run: ({ faults }, fields) => {
      faults.menuLateMs = fields['ms'] as number;
    },
  },
  'busy-lag': {
    fields: { ms },
    run: ({ faults }, fields) => {
      faults.busyLagMs = fields['ms'] as number;
    },
  },
  'clear-faults': { fields: {}, run: ({ faults }) => faults.clear() },
  'open-dialog': {
    fields: { kind: { is: DIALOG_KINDS }, title: text, detail: text, options: { is: 'texts' } },
    run: (agent, fields) => {
      const { title, detail, options } = fields as { title?: string; detail?: string; options?: string[] };
      void agent.ask({
        kind: (fields['kind'] as DialogKind | undefined) ?? 'permission',
        title,
        detail,
        options,
      });
      return { dialog_id: agent.dialog?.id };
    },
  },
  'close-dialog': {
    fields: { answer: text },
    run: (agent, fields) => {
      const answer = (fields['answer'] as string | undefined) ?? agent.dialog?.cancel ?? 'cancel';
      if (!agent.answer(answer, 'control')) throw invalid('no dialog is open');
    },
  },
  skin: {
    fields: { name: { is: 'text', needed: true } },
    run: (agent, fields) => agent.setSkin(String(fields['name'])),
  },
  title: {
    fields: { text },
    run: (agent, fields) => {
      agent.title = fields['text'] as string | undefined;
    },
  },
  draft: {
    fields: { text: { is: 'text', needed: true } },
    run: (agent, fields) => agent.setDraft(fields['text'] as string, 'scripted'),
  },
  say: {
    fields: { text: { is: 'text', needed: true } },
    run: (agent, fields) => agent.say('notice', fields['text'] as string),
  },
  'limit-banner': {
    fields: { text },
    run: (agent, fields) => {
      agent.banner = (fields['text'] as string | undefined) ?? 'Usage limit reached · resets at 5 pm';
      agent.changed();
    },
  },
  'clear-banner': {
    fields: {},
    run: (agent) => {
      agent.banner = undefined;
      agent.changed();
    },
  },
  'log-out': {
    fields: {},
    run: (agent) => {
      agent.loggedOut = true;
    },
  },
  'log-in': { fields: {}, run: (agent) => agent.logIn() },
  busy: {
    fields: { ms },
    run: (agent, fields) => {
      if (!agent.engine.work(fields['ms'] as number)) throw invalid('a turn is already running');
      agent.changed();
      return { turn_id: agent.engine.current?.id };
    },
  },
  'end-turn': {
    fields: {},
    run: (agent) => {
      if (!agent.engine.interrupt('control')) throw invalid('no turn is running');
    },
  },
  'busy-input': {
    fields: { mode: { is: ['queue', 'steer'], needed: true } },
    run: (agent, fields) => {
      agent.busyInput = fields['mode'] as 'queue' | 'steer';
    },
  },
  hang: {
    fields: { ms: { is: 'ms' } },
    run: (agent, fields) => {
      agent.setHung(true);
      if (fields['ms'] !== undefined) agent.clock.after(fields['ms'] as number, () => agent.setHung(false));
    },
  },
  unhang: { fields: {}, run: (agent) => agent.setHung(false) },
  'crash-to-shell': {
    fields: { code: count, dirty: { is: 'flag' } },
    run: (agent, fields) => {
      const code = ((fields['code'] as number | undefined) ?? 1) & 255;
      soon(() => agent.end({ kind: 'crash', dirty: fields['dirty'] === true, code }));
    },
  },
  exit: {
    fields: { code: count },
    run: (agent, fields) => {
      soon(() => agent.end({ kind: 'exit', code: ((fields['code'] as number | undefined) ?? 0) & 255 }));
    },
  },
};

/** Runs after the acknowledgement has been passed to the socket. */
const soon = (call: () => void): void => void setImmediate(call);

/** Runs one control message. Throws, and changes nothing, when the name, a field or a value is not allowed. */
export function runControl(agent: Agent, message: Fields): unknown {
  const { spec, fields } = checkControl(message);
  return spec.run(agent, fields);
}

/** Only the check, for scripts: their errors must show at the start, not in the middle. */
export function checkControl(message: Fields): { spec: CommandSpec; fields: Fields } {
  const { type, id: _id, ...fields } = message;
  if (typeof type !== 'string' || !Object.hasOwn(CONTROL_COMMANDS, type)) {
    const near = nearest(String(type), Object.keys(CONTROL_COMMANDS))[0];
    throw invalid(`unknown control message type ${JSON.stringify(type)}`, {
      hint: `Allowed: ${Object.keys(CONTROL_COMMANDS).join(', ')}.${near ? ` Did you mean ${near}?` : ''}`,
    });
  }
  const spec = CONTROL_COMMANDS[type]!;
  checkFields(type, spec.fields, fields);
  return { spec, fields };
}

function checkFields(type: string, specs: Record<string, FieldSpec>, fields: Fields): void {
  for (const name of Object.keys(fields)) {
    const allowed = Object.keys(specs).join(', ') || 'none';
    if (!Object.hasOwn(specs, name)) throw invalid(`${type} has no field "${name}"; allowed: ${allowed}`);
  }
  for (const [name, { is, needed }] of Object.entries(specs)) {
    const value = fields[name];
    if (value === undefined) {
      if (needed) throw invalid(`${type} needs the field "${name}"`);
      continue;
    }
    const wanted = mismatch(is, value);
    if (wanted !== undefined) throw invalid(`${type}: "${name}" must be ${wanted}`);
  }
}

function mismatch(is: FieldSpec['is'], value: unknown): string | undefined {
  if (Array.isArray(is)) return is.includes(value as string) ? undefined : `one of ${is.join(', ')}`;
  const number = typeof value === 'number' && Number.isInteger(value) && value >= 0;
  if (is === 'count') return number && value <= 1e9 ? undefined : 'a whole number from 0';
  if (is === 'ms') return number && value <= 86_400_000 ? undefined : 'whole milliseconds, at most 24 h';
  if (is === 'flag') return typeof value === 'boolean' ? undefined : 'true or false';
  if (is === 'text') return typeof value === 'string' ? undefined : 'text';
  const texts = Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');
  return texts && value.length <= 9 ? undefined : 'one to nine texts';
}

export function statusOf(agent: Agent): Record<string, unknown> {
  const { engine, composer, dialog, faults } = agent;
  return {
    pid: process.pid,
    state: agent.state,
    skin: agent.skin.name,
    seq: agent.journal.seq,
    draft: { text: composer.text.slice(0, 2000), how: composer.how, ...fingerprint(composer.text) },
    turn_id: engine.current?.id ?? null,
    queued: engine.queue.length,
    dialog: dialog
      ? { dialog_id: dialog.id, kind: dialog.kind, keys: dialog.keys, pastes: dialog.pastes }
      : null,
    banner: agent.banner ?? null,
    shell_mode: agent.shellMode,
    faults: { ...faults },
  };
}
