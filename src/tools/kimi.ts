import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import {
  directoryOf,
  type ProcessIdentity,
  processVariable,
  readIfExists,
  startedAtMs,
} from '../base/index.ts';
import { BACKEND } from '../wire/houmao/index.ts';
import { AGAIN_TO_EXIT, BRAILLE } from './detector-words.ts';
import type { HeadlessHabits } from './headless-habits.ts';
import { bearer, freeServerName, MCP_START_MS, mcpDoubleUnderscores, serversIn } from './mcp.ts';
import { overlayHome } from './overlay-home.ts';
import { type LogEntry, type LogKind, SessionLog } from './signals/session-log.ts';
import type { Tool, ToolDetector } from './tool.ts';

const HOME = 'KIMI_CODE_HOME';

/** Two columns from the edge, where the transcript never begins. */
const SPINNER = new RegExp(`^ {2}([${BRAILLE}]|[🌑-🌘])`, 'u');

/** Kimi Code. While busy it shows only a moon or a braille cell above the box, no hint about Escape. Tips rotate in the footer. */
const DETECTOR: ToolDetector = {
  versions: { from: '0.35.0', below: '3.0.0', seen: ['0.35.0', '0.42.0', '0.43.1', '2.0.2', '2.1.0'] },
  composers: [
    {
      frame: { kind: 'box', column: 1, corners: '╭╮╰╯', sides: ['│', '│'] },
      prompts: [
        { text: ' > ', mode: 'prompt' },
        { text: ' ! ', mode: 'shell' },
      ],
      ghosts: [],
      footerRows: 3,
    },
  ],
  title: {},
  signs: [
    { means: 'busy', where: 'above', row: SPINNER },
    { means: 'busy', where: 'below', row: SPINNER },
    // Its dot blinks; without the dot, only the colour distinguishes the row from an answer.
    { means: 'busy', where: 'above', row: /^ ● Compacting context(…|\.\.\.)/ },
    { means: 'busy', where: 'above', row: /^ {3}Compacting context(…|\.\.\.)/, colour: 'hued' },
    { means: 'pending', where: 'above', rows: 3, row: /^\s+↑ to edit\b/ },
    { means: 'menu', where: 'below', row: /^ │ {3}(→| ) / },
    { means: 'exit_armed', where: 'below', row: AGAIN_TO_EXIT },
    { means: 'interrupted', where: 'turn', row: /^\s+Interrupted by user$/ },
    { means: 'failure', where: 'turn', row: /^\s+Error: / },
    { means: 'logged_out', where: 'turn', row: /^\s+Error: \[provider\.auth_error\]/ },
    // With a model, the size of the context is shown too.
    { means: 'logged_out', where: 'below', row: /^\s+context: \d+%$/, says: 'Model: not set' },
    { means: 'success', where: 'turn', row: /^ ● / },
  ],
  completion: { where: 'below', entry: /^ │ {3}→ (\S+)\s/, chosenBy: 'mark' },
  transcript: { prompt: /^ ✨ \S/u, answered: /^ [●✗✓]|^ {3}(Interrupted|Error)\b/u },
  input: {
    pasteGapMs: 250,
    changes: [],
    refuses: [
      { when: /^\s*!/, because: 'a leading ! runs a shell command without approval' },
      { when: /^\s*\/[\w:-]+(\s|$)/, because: 'a slash command it does not know may be dropped' },
    ],
    pasteChip: /^\[paste #\d+ \+(?<lines>\d+) lines\]$/,
    interruptKeys: ['Escape'],
    clearKeys: ['C-u'],
    resetCommand: '/new',
    whileBusy: 'queues',
    restoresPrompt: false,
  },
};

/**
 * Kimi Code 2.1. It takes a prompt only as an argument, so every user of the machine can see it in the process list while
 * the turn runs. Its last line has the chat's id; an interrupted turn has none.
 */
const HEADLESS: HeadlessHabits = {
  backend: BACKEND.kimiTurns,
  shape: {
    prompt: 'argument',
    role: 'prefix',
    create: ['{args}', '{model}', '-p', '{prompt}', '--output-format', 'stream-json'],
    exact: [
      ...['{args}', '{model}', '--session', '{session}'],
      ...['-p', '{prompt}', '--output-format', 'stream-json'],
    ],
    last: ['{args}', '{model}', '--continue', '-p', '{prompt}', '--output-format', 'stream-json'],
  },
  model: ['--model', '{name}'],
  events: [
    { when: { type: 'session.resume_hint' }, kind: 'completion', message: ['content'] },
    { when: { role: 'meta' }, kind: 'progress', message: ['type'] },
    {
      when: { role: 'assistant', tool_calls: '*' },
      kind: 'action_request',
      each: 'tool_calls',
      parts: [{ when: { type: '*' }, kind: 'action_request', message: ['function.name', 'type'] }],
    },
    { when: { role: 'assistant' }, kind: 'assistant', message: ['content'] },
    { when: { role: 'tool' }, kind: 'action_result', message: ['content'] },
  ],
};

interface Line {
  type?: unknown;
  time?: unknown;
  input?: unknown;
}

/**
 * Kimi Code's record of a session. It holds no file open, so the session is found by its working directory among those
 * written since the process began. With several of them it is unknown which one it shows.
 */
const WIRE: LogKind = {
  source: 'kimi_wire',
  proof: 'session_log',
  outlivesProcess: true,
  find: (tool) => {
    const found = wiresOf(tool);
    return found.length > 1 ? null : found[0];
  },
  candidates: wiresOf,
  entryOf,
  idOf: (file) => path.basename(path.resolve(file, '../../..')),
  states: {
    user_message: 'busy',
    'turn.ended': 'idle',
    'full_compaction.begin': 'busy',
    'full_compaction.complete': 'idle',
    'full_compaction.cancel': 'idle',
  },
};

function wiresOf(tool: ProcessIdentity): string[] {
  const { pid } = tool;
  const began = startedAtMs(tool) ?? 0;
  const workdir = directoryOf(pid);
  if (workdir === undefined) return [];
  const home =
    processVariable(pid, HOME) ?? path.join(processVariable(pid, 'HOME') ?? os.homedir(), '.kimi-code');
  const index = (readIfExists(path.join(home, 'session_index.jsonl')) ?? '').split('\n');
  const directories = new Set(index.flatMap((line) => sessionIn(line, workdir)));
  return [...directories]
    .map((directory) => path.join(directory, 'agents', 'main', 'wire.jsonl'))
    .filter((file) => (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= began);
}

function sessionIn(line: string, workdir: string): string[] {
  try {
    const { workDir, sessionDir } = JSON.parse(line) as Record<string, unknown>;
    return workDir === workdir && typeof sessionDir === 'string' ? [sessionDir] : [];
  } catch {
    return [];
  }
}

function entryOf(parsed: Line): LogEntry[] {
  if (typeof parsed.type !== 'string') return [];
  const atMs = typeof parsed.time === 'number' ? parsed.time : 0;
  if (parsed.type !== 'turn.prompt') return [{ kind: parsed.type, atMs, text: '' }];
  return [{ kind: 'user_message', atMs, text: textOf(parsed.input) }];
}

function textOf(input: unknown): string {
  if (!Array.isArray(input)) return '';
  return input
    .map((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? part.text : ''))
    .join('');
}

/** Kimi Code. It takes no role at start; only a headless turn can carry one, before its first prompt. */
export const kimi: Tool = {
  name: 'kimi',
  process: {
    executable: 'kimi',
    names: ['kimi', 'kimi-code'],
    npmPackage: '@moonshot-ai/kimi-code',
    nestedMarks: [],
  },
  homeVariable: HOME,
  resume: ['{args}', '--session', '{session}'],
  harmlessFlags: ['--model', '-m'],
  role: { method: 'none' },
  mcp: {
    modelName: mcpDoubleUnderscores,
    config: { inHome: 'mcp.json', byDefault: '.kimi-code/mcp.json', format: 'json' },
    // It cannot allow a single tool in advance, so it asks once for each tool and session.
    forSession(mcp, place) {
      const source = place.home ?? path.join(place.env['HOME'] ?? '/', '.kimi-code');
      const server = freeServerName(place, serversIn(place, [path.join(source, 'mcp.json')]));
      const entry = mcp.http
        ? { url: mcp.http.url, headers: bearer(mcp.http), startupTimeoutMs: MCP_START_MS }
        : { ...mcp.program, startupTimeoutMs: MCP_START_MS };
      return overlayHome(place, { source, variable: HOME, inside: '', file: 'mcp.json', entry }, server);
    },
    absence: { atStart: 'not tried again: `rouse agents relaunch`', whileRunning: 'the next call works' },
  },
  skills: { inHome: 'skills', byDefault: '.agents/skills' },
  headless: HEADLESS,
  detectors: [DETECTOR],
  signals: ({ clock, changed }) => [new SessionLog(WIRE, clock, changed)],
  notes: {
    beside: 'its record of the session (`wire.jsonl`)',
    taken: 'the record with the very text, or the transcript',
    ended: '`●` answer, `Error:`, `Interrupted by user`',
    mcp: 'a home of this session (`KIMI_CODE_HOME`)',
    allowsTools: 'cannot be: it asks once for each tool and session',
    sandbox: 'none',
    allowsMail: '`-- --yolo`, which allows everything',
    asksTrust: 'always',
  },
};
