import * as fs from 'node:fs';
import * as path from 'node:path';
import { BACKEND } from '../wire/houmao/index.ts';
import { AGAIN_TO_EXIT, FORM_KEYS } from './detector-words.ts';
import type { HeadlessHabits } from './headless-habits.ts';
import { bearer, mcpFlagWithFile, toolNamesIn } from './mcp.ts';
import { filesOpenIn } from './signals/open-files.ts';
import { type LogEntry, type LogKind, SessionLog } from './signals/session-log.ts';
import type { McpEntry, Tool, ToolDetector } from './tool.ts';

/**
 * The footer while no turn runs: what the sidebar offers, then the mode. A turn or Ctrl-C replaces it. While the tool waits
 * for background work, it takes a prompt at once.
 */
const IDLE_FOOTER =
  /^ (?:← (?:open|use)(?: sidebar\b| {2,}· )|(?:Interactive|Plan|Autopilot|Shell) · |\S Waiting for background )/;

/** GitHub Copilot CLI. A turn shows only in the footer, compaction only above the composer. */
const DETECTOR: ToolDetector = {
  versions: { from: '1.0.87', below: '1.1.0', seen: ['1.0.87', '1.0.88', '1.0.89', '1.0.92', '1.0.102'] },
  sidebar: '│',
  composers: [
    {
      frame: { kind: 'lines', above: '─', below: '─' },
      prompts: [
        { text: '❯ ', mode: 'prompt' },
        // Shown with --screen-reader.
        { text: 'Start of Prompt Indicator', mode: 'prompt' },
        { text: '! ', mode: 'shell' },
      ],
      ghosts: [],
      // In a narrow window each part of the footer is wrapped by itself, and the model is below them.
      footerRows: 4,
      showsCursor: true,
      needsIdleSignal: true,
    },
  ],
  title: {},
  signs: [
    { means: 'busy', where: 'below', row: /^ ?[○◎◉●◌◍◐◑◒◓] (?!Waiting for background )\p{L}/u },
    {
      means: 'busy',
      where: 'below',
      row: /^(?! ?\S Waiting for background ).*(\besc( esc)? (interrupt|edit prompt)\b|\bctrl\+q enqueue\b)/,
    },
    // At the very edge, where the transcript never begins.
    { means: 'busy', where: 'above', rows: 8, row: /^[○◎◉●◌◍◐◑◒◓] \p{L}/u },
    { means: 'pending', where: 'above', rows: 12, row: /^Queued \(\d+\)/ },
    { means: 'idle', where: 'below', row: IDLE_FOOTER },
    { means: 'pending', where: 'above', rows: 8, row: /\[pending\b/ },
    { means: 'menu', where: 'above', attached: true, row: /^┃|^ {2}❯ [@/#]/ },
    { means: 'menu', where: 'above', rows: 1, row: /^ \S+( → \S+| \S+)? {2,}\S/ },
    { means: 'menu', where: 'below', row: /\bclose help\b/ },
    { means: 'shell_mode', where: 'below', row: /\bexit shell mode\b|^ (← open sidebar · )?Shell · / },
    { means: 'exit_armed', where: 'below', row: AGAIN_TO_EXIT },
    { means: 'dialog', where: 'below', row: FORM_KEYS },
    { means: 'interrupted', where: 'turn', row: /^ ● Operation cancelled by user\b/ },
    { means: 'failure', where: 'turn', row: /^ [✗✕] (?!Shell|Create|Edit|Write)/ },
    { means: 'logged_out', where: 'turn', row: /^ ✗ Authentication failed\b/ },
    { means: 'logged_out', where: 'above', rows: 3, row: /^Please use \/login to sign in\b/ },
    { means: 'success', where: 'turn', row: /^ ● / },
  ],
  completion: { where: 'above', entry: /^(?:┃| ) ❯ (\/\S+)(\s|$)/, chosenBy: 'mark' },
  transcript: {
    prompt: /^ ❯ \S/,
    stamp: / {2,}\d{1,2}:\d\d( [AP]M)?[\s┃]*$/,
    answered: /^ [^\s❯/~\p{L}\p{N}] /u,
  },
  input: {
    pasteGapMs: 150,
    changes: [],
    refuses: [
      { when: /^\s*!/, because: 'a leading ! runs a shell command without approval' },
      { when: /\\$/, because: 'a trailing backslash turns Enter into a new line' },
      { when: /@[\w./-]+$/, because: 'a trailing @name opens a completion that changes the text' },
      { when: /^\s*\/[\w:-]+(\s|$)/, because: 'a slash command it does not know is dropped' },
    ],
    pasteChip: /^\[Paste #\d+ - (?<lines>\d+) lines\]$/,
    interruptKeys: ['Escape', 'Escape'],
    clearKeys: ['C-u'],
    resetCommand: '/clear',
    whileBusy: 'steers',
    restoresPrompt: true,
  },
};

/** Versions before the sidebar: the footer begins with what can be typed, and a turn replaces it. */
const OLDER_DETECTOR: ToolDetector = {
  ...DETECTOR,
  versions: { from: '1.0.70', below: '1.0.80', seen: ['1.0.75'] },
  signs: [
    { means: 'idle', where: 'below', row: /^ \/ commands · \? help\b/ },
    ...DETECTOR.signs.filter(({ row }) => row !== IDLE_FOOTER),
  ],
};

/** GitHub Copilot CLI 1.0. Standard input is the prompt, trimmed by the tool; the last line has the chat's id. */
const HEADLESS: HeadlessHabits = {
  backend: BACKEND.turns,
  shape: {
    prompt: 'stdin',
    role: 'prefix',
    create: ['{args}', '{model}', '--output-format', 'json'],
    exact: ['{args}', '{model}', '--resume={session}', '--output-format', 'json'],
    last: ['{args}', '{model}', '--continue', '--output-format', 'json'],
  },
  model: ['--model', '{name}'],
  reasoning: {
    words: ['--reasoning-effort', '{level}'],
    ladder: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
  },
  events: [
    { when: { type: 'assistant.message' }, kind: 'assistant', message: ['data.content'] },
    { when: { type: 'tool.execution_start' }, kind: 'action_request', message: ['data.toolName'] },
    { when: { type: 'tool.execution_complete' }, kind: 'action_result', message: ['data.result.content'] },
    { when: { type: 'session.error' }, kind: 'diagnostic', message: ['data.message'] },
    { when: { type: 'result' }, kind: 'completion', message: ['exitCode'] },
    { when: { type: '*', data: '*' }, kind: 'progress', message: ['type'] },
  ],
};

/** A process holds this file open to mark the session in the same directory as its own. */
const IN_USE = /\/session-state\/[^/]+\/inuse\.\d+\.hold$/;

interface Line {
  type?: unknown;
  timestamp?: unknown;
  data?: { content?: unknown } | null;
}

/** The events of the session that Copilot shows. With several open at once it is unknown which one it shows. */
const EVENTS: LogKind = {
  source: 'copilot_events',
  proof: 'session_log',
  outlivesProcess: true,
  find: ({ pid }) => {
    const held = new Set(filesOpenIn(pid).filter((file) => IN_USE.test(file)));
    const [one] = held;
    if (one === undefined) return undefined;
    if (held.size > 1) return null;
    const file = path.join(path.dirname(one), 'events.jsonl');
    return fs.existsSync(file) ? file : undefined;
  },
  entryOf,
  idOf: (file) => path.basename(path.dirname(file)),
  states: {
    user_message: 'busy',
    'assistant.turn_start': 'busy',
    'assistant.turn_end': 'idle',
    'session.compaction_start': 'busy',
    'session.compaction_complete': 'idle',
    'permission.requested': 'waiting',
    'permission.completed': 'busy',
    'session.error': 'failed',
    abort: 'interrupted',
  },
};

function entryOf(parsed: Line): LogEntry[] {
  if (typeof parsed.type !== 'string') return [];
  const atMs = Date.parse(String(parsed.timestamp ?? ''));
  const entry = { atMs: Number.isNaN(atMs) ? 0 : atMs };
  if (parsed.type !== 'user.message') return [{ ...entry, kind: parsed.type, text: '' }];
  return [{ ...entry, kind: 'user_message', text: String(parsed.data?.content ?? '') }];
}

const mcpValue = (entry: McpEntry): object => ({ type: 'local', ...entry, tools: ['*'] });

/** GitHub Copilot CLI. */
export const copilot: Tool = {
  name: 'copilot',
  process: { executable: 'copilot', names: ['copilot'], npmPackage: '@github/copilot', nestedMarks: [] },
  homeVariable: null,
  resume: ['{args}', '--resume={session}'],
  harmlessFlags: ['--model'],
  role: { method: 'first_message_flag', words: ['-i', '{text}'] },
  mcp: {
    modelName: (server, tool) => `${server}-${tool}`,
    config: {
      inHome: 'mcp-config.json',
      byDefault: '.copilot/mcp-config.json',
      variable: 'COPILOT_HOME',
      format: 'json',
    },
    value: mcpValue,
    forSession: mcpFlagWithFile({
      remote: (at, mcp) => ({ type: 'http', url: at.url, headers: bearer(at), tools: toolNamesIn(mcp) }),
      local: (program, mcp) => ({ type: 'local', ...program, tools: toolNamesIn(mcp) }),
      configured: ({ env }) => [
        path.join(env['COPILOT_HOME'] || path.join(env['HOME'] ?? '/', '.copilot'), 'mcp-config.json'),
      ],
      args: (file, server, mcp) => [
        ...['--additional-mcp-config', `@${file}`],
        ...(mcp.allowed ? toolNamesIn(mcp).map((name) => `--allow-tool=${server}(${name})`) : []),
      ],
    }),
    absence: { atStart: 'not tried again: `/mcp reload`', whileRunning: 'the next call works' },
  },
  skills: { inHome: 'skills', byDefault: '.copilot/skills' },
  headless: HEADLESS,
  detectors: [DETECTOR, OLDER_DETECTOR],
  signals: ({ clock, changed }) => [new SessionLog(EVENTS, clock, changed)],
  notes: {
    beside: 'the events of the session it holds open (`events.jsonl`)',
    taken: 'the events with the very text, or the transcript',
    ended: '`●` answer, `✗`, `Operation cancelled`',
    mcp: '`--additional-mcp-config` file',
    allowsTools: '`--allow-tool`, each by its name; your `--deny-tool` wins',
    sandbox: 'none',
    allowsMail:
      "`-- '--allow-tool=shell(curl:*)' --allow-all-urls`; `--allow-url` wants the port too, which is not known before",
    asksTrust: 'always',
  },
};
