import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { invalid, nearest } from '../base/index.ts';
import { requireDuration } from './control/duration.ts';
import { DEFAULT_SKIN, SKINS } from './tui/skins.ts';

export const OUTPUT_FORMATS = ['stream-json', 'json', 'text'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** Flags in the order of the help. A flag with `value` takes an argument. */
export const FLAGS = {
  skin: { value: 'NAME', text: `look and habits (default ${DEFAULT_SKIN.name}; see --list-skins)` },
  name: { value: 'NAME', text: 'name shown in the title (default: the name of the working directory)' },
  transcript: { value: 'FILE', text: 'record everything received in this file (JSON lines, mode 0600)' },
  control: { value: 'SOCKET', text: 'Unix socket that accepts faults and reports events' },
  script: { value: 'FILE', text: 'JSON script of faults tied to events' },
  'status-file': { value: 'FILE', text: 'write the state (idle, busy, waiting) to this file' },
  turn: { value: 'DURATION', text: 'length of a turn without directives (default 300ms)' },
  words: { value: 'N', text: 'length of the answer without directives, in words (default 0: one line)' },
  'busy-input': { value: 'queue|steer', text: 'what Enter does while busy (default: as the skin does)' },
  burst: { value: 'DURATION', text: 'ignore an Enter that follows a paste sooner than this' },
  'start-delay': { value: 'DURATION', text: 'do not read input before this time' },
  'drop-early-input': { text: 'discard what was typed before the start' },
  'act-on-mail': { text: 'process mail through the gateway named in a prompt' },
  reply: { value: 'TEXT', text: 'reply to mail; {subject} and {round} are filled in; empty: no reply' },
  'reply-rounds': { value: 'N', text: 'maximum number of replies in an exchange (default 1)' },
  'mail-read-state': { value: 'any|unread', text: 'which open mail to process (default any)' },
  'mail-timeout': { value: 'DURATION', text: 'give up one mail call after this (default 5s)' },
  'mcp-config': {
    value: 'FILE',
    text: 'answer requests through the MCP server in this file, when a prompt asks to',
  },
  headless: { text: 'no terminal: one turn, printed' },
  print: { short: 'p', text: 'as --headless; the prompt is the argument, --prompt or standard input' },
  prompt: { value: 'TEXT', text: 'the prompt of a headless turn' },
  'output-format': { value: 'FORMAT', text: 'stream-json (default), json or text' },
  resume: { value: 'ID', text: 'continue this session' },
  continue: { short: 'c', text: 'continue the latest session' },
  'session-id': { value: 'UUID', text: 'id of a new session' },
  'session-dir': { value: 'DIR', text: 'where sessions are kept (default ~/.scripted-agent/sessions)' },
  'append-system-prompt': { value: 'TEXT', text: 'role, kept with the session' },
  model: { value: 'NAME', text: 'model name to report (default scripted-1)' },
  verbose: { text: 'accepted and ignored' },
  'list-skins': { text: 'print the skins and end' },
  help: { short: 'h', text: 'print this and end' },
} satisfies Record<string, { value?: string; short?: string; text: string }>;

export interface MailOptions {
  act: boolean;
  reply: string;
  rounds: number;
  readState: 'any' | 'unread';
  timeoutMs: number;
}

export interface RequestOptions {
  mcpConfig: string | undefined;
}

export interface Options {
  mode: 'tui' | 'headless' | 'help' | 'list-skins';
  skin: string;
  name: string;
  transcript: string | undefined;
  control: string | undefined;
  script: string | undefined;
  statusFile: string | undefined;
  turnMs: number;
  words: number;
  busyInput: 'queue' | 'steer' | undefined;
  burstMs: number | undefined;
  startDelayMs: number;
  dropEarlyInput: boolean;
  mail: MailOptions;
  requests: RequestOptions;
  prompt: string | undefined;
  outputFormat: OutputFormat;
  session: { resume: string | undefined; latest: boolean; id: string | undefined; directory: string };
  role: string | undefined;
  model: string;
}

type Values = Record<string, string | boolean | undefined>;

/** `ROUSE_SCRIPTED_TURN` sets `--turn`, and so on; a flag wins. */
const variableOf = (flag: string): string => `ROUSE_SCRIPTED_${flag.toUpperCase().replaceAll('-', '_')}`;

export function readOptions(argv: string[], env: NodeJS.ProcessEnv, cwd: string): Options {
  const { values, positionals } = parse(argv);
  for (const [flag, spec] of Object.entries(FLAGS)) {
    const given = env[variableOf(flag)];
    if (given === undefined || given === '' || values[flag] !== undefined) continue;
    values[flag] = 'value' in spec ? given : given !== '0';
  }
  const text = (flag: string): string | undefined => values[flag] as string | undefined;
  const duration = (flag: string): number | undefined =>
    text(flag) === undefined ? undefined : requireDuration(text(flag)!, `--${flag}`);
  if (positionals.length > 1) {
    throw invalid(`one prompt is allowed, not ${positionals.length} arguments`, {
      hint: 'Quote the prompt.',
    });
  }
  const sessionId = text('session-id');
  for (const id of [sessionId, text('resume')]) {
    if (id !== undefined && !/^[\w-]{1,100}$/.test(id)) throw invalid(`"${id}" is not a session id`);
  }
  if (values['resume'] !== undefined && values['continue']) {
    throw invalid('--resume and --continue exclude each other');
  }
  return {
    mode: modeOf(values),
    skin: skinOf(text('skin') ?? DEFAULT_SKIN.name),
    name: text('name') ?? path.basename(cwd),
    transcript: text('transcript'),
    control: text('control'),
    script: text('script'),
    statusFile: text('status-file'),
    turnMs: duration('turn') ?? 300,
    words: whole(text('words'), '--words', 0, 100_000) ?? 0,
    busyInput: choice(text('busy-input'), '--busy-input', ['queue', 'steer']),
    burstMs: duration('burst'),
    startDelayMs: duration('start-delay') ?? 0,
    dropEarlyInput: values['drop-early-input'] === true,
    mail: {
      act: values['act-on-mail'] === true,
      reply: text('reply') ?? 'Done: {subject}',
      rounds: whole(text('reply-rounds'), '--reply-rounds', 0, 1_000_000) ?? 1,
      readState: choice(text('mail-read-state'), '--mail-read-state', ['any', 'unread']) ?? 'any',
      timeoutMs: duration('mail-timeout') ?? 5000,
    },
    requests: { mcpConfig: text('mcp-config') },
    prompt: text('prompt') ?? positionals[0],
    outputFormat: choice(text('output-format'), '--output-format', OUTPUT_FORMATS) ?? 'stream-json',
    session: {
      resume: text('resume'),
      latest: values['continue'] === true,
      id: sessionId,
      directory: text('session-dir') ?? path.join(env['HOME'] ?? cwd, '.scripted-agent', 'sessions'),
    },
    role: text('append-system-prompt'),
    model: text('model') ?? 'scripted-1',
  };
}

function parse(argv: string[]): { values: Values; positionals: string[] } {
  const options = Object.fromEntries(
    Object.entries(FLAGS).map(([flag, spec]) => [
      flag,
      {
        type: 'value' in spec ? 'string' : 'boolean',
        ...('short' in spec ? { short: spec.short } : {}),
      } as const,
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true, strict: true });
    return { values: { ...values } as Values, positionals };
  } catch (error) {
    const message = (error as Error).message.split('. ')[0] ?? '';
    const flag = /'--?([\w-]+)/.exec(message)?.[1] ?? '';
    const near = nearest(flag, Object.keys(FLAGS))[0];
    throw invalid(message, {
      hint:
        near && near !== flag ? `Did you mean --${near}? --help lists all flags.` : '--help lists all flags.',
    });
  }
}

function modeOf(values: Values): Options['mode'] {
  if (values['help']) return 'help';
  if (values['list-skins']) return 'list-skins';
  return values['headless'] || values['print'] ? 'headless' : 'tui';
}

function skinOf(name: string): string {
  if (SKINS.has(name)) return name;
  const near = nearest(name, SKINS.keys())[0];
  throw invalid(`--skin "${name}" is not known; allowed: ${[...SKINS.keys()].join(', ')}`, {
    hint: near ? `Did you mean ${near}?` : '--list-skins describes them.',
  });
}

function whole(text: string | undefined, field: string, min: number, max: number): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= min && number <= max)) {
    throw invalid(`${field} "${text}" must be a whole number from ${min} to ${max}`);
  }
  return number;
}

function choice<T extends string>(
  text: string | undefined,
  field: string,
  allowed: readonly T[],
): T | undefined {
  if (text === undefined) return undefined;
  const found = allowed.find((each) => each === text);
  if (found === undefined) throw invalid(`${field} "${text}" is not one of ${allowed.join(', ')}`);
  return found;
}

export function helpText(): string {
  const rows = Object.entries(FLAGS).map(([flag, spec]) => {
    const short = 'short' in spec ? `-${spec.short}, ` : '    ';
    const value = 'value' in spec ? ` ${spec.value}` : '';
    return `  ${short}${`--${flag}${value}`.padEnd(30)} ${spec.text}`;
  });
  return [
    'usage: scripted-agent [flags] [PROMPT]',
    '',
    'A terminal program that behaves like a coding agent and records what it actually received.',
    '',
    ...rows,
    '',
    'Directives inside a prompt: [[turn=800ms]] [[delay=1s]] [[words=40]] [[say=text]] [[dialog=permission]]',
    '[[ask]] [[menu]] [[sh=command]] [[hang]] [[crash]] [[exit=3]] [[limit]] [[skin=name]] [[draft=text]] [[fail]]',
    '[[nonce=id]]',
    '',
  ].join('\n');
}

export function skinList(): string {
  return [...SKINS.values()].map((skin) => `${skin.name.padEnd(14)} ${skin.summary}\n`).join('');
}
