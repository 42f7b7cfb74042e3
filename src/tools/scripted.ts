import * as path from 'node:path';
import type { ComposerShape } from '../screen/index.ts';
import { BACKEND } from '../wire/houmao/index.ts';
import { CLAUDE_EVENTS } from './claude/headless.ts';
import { AGAIN_TO_EXIT, BRAILLE } from './detector-words.ts';
import type { HeadlessHabits } from './headless-habits.ts';
import { bearer, mcpFlagWithFile } from './mcp.ts';
import { StatusFile } from './signals/status-file.ts';
import type { Tool, ToolDetector } from './tool.ts';

const SHELL = { text: '! ', mode: 'shell' } as const;

const lines = (above: string, below: string, glyph: string): ComposerShape => ({
  frame: { kind: 'lines', above, below },
  prompts: [{ text: glyph, mode: 'prompt' }, SHELL],
  ghosts: [{ dim: true }, { grey: true, gap: true }],
  footerRows: 2,
});

/**
 * Our own scripted agent, which imitates tools for tests. Its usual skins are described here; the others need calibration.
 * Some skins show a wrong title or footer, so their silence about a turn is not believed.
 */
const DETECTOR: ToolDetector = {
  versions: { from: '0.0.0', below: '1000.0.0', seen: ['0.1.0'] },
  composers: [
    lines('─', '─', '❯ '),
    lines('─', '─', '> '),
    lines('▄', '▀', ' > '),
    {
      frame: { kind: 'box', column: 0, corners: '╭╮╰╯', sides: ['│', '│'] },
      prompts: [
        { text: ' > ', mode: 'prompt' },
        { text: ' ! ', mode: 'shell' },
      ],
      ghosts: [{ dim: true }],
      footerRows: 2,
    },
  ],
  title: {
    busy: new RegExp(`^([${BRAILLE}] |[✻✶✢·] |✦ |◐ (?!Ready))`, 'u'),
    waiting: /^✋ /,
    idle: /^◇ +Ready\b/,
  },
  signs: [
    { means: 'busy', where: 'above', rows: 3, row: new RegExp(`^\\s{0,2}([${BRAILLE}]|[🌑-🌘]) `, 'u') },
    { means: 'busy', where: 'above', rows: 3, row: /^[·✢✳✶✻] \p{L}[^…]*…( |$)/u },
    { means: 'busy', where: 'below', row: /\besc esc interrupt\b/ },
    { means: 'pending', where: 'above', rows: 12, row: /^ {2}↳ queued: / },
    { means: 'menu', where: 'above', attached: true, row: /^ {2}❯ \S|^ {4}\S/ },
    { means: 'exit_armed', where: 'below', row: AGAIN_TO_EXIT },
    { means: 'interrupted', where: 'turn', row: /^ {2}Interrupted · / },
    { means: 'failure', where: 'turn', row: /^ {2}Error: / },
    { means: 'logged_out', where: 'turn', row: /^ {2}Not logged in · / },
    { means: 'success', where: 'turn', row: /^\s*[●✦◆] \S/ },
  ],
  completion: { where: 'above', entry: /^ {2}❯ (\/\S+)$/, chosenBy: 'mark' },
  transcript: { prompt: /^\s*[❯>✨] \S/u },
  input: {
    pasteGapMs: 0,
    changes: [],
    refuses: [],
    pasteChip: /^\[pasted (text #\d+ \+)?(?<breaks>\d+) lines( #\d+)?\]$/i,
    interruptKeys: ['Escape'],
    clearKeys: ['C-u'],
    resetCommand: '/clear',
    whileBusy: 'queues',
    restoresPrompt: false,
  },
};

/** The scripted agent. Unlike real tools it refuses to continue if there is no chat yet. */
const HEADLESS: HeadlessHabits = {
  backend: BACKEND.turns,
  shape: {
    prompt: 'stdin',
    role: 'arguments',
    create: ['{args}', '{model}', '{role}', '--print', '--output-format', 'stream-json'],
    exact: [
      ...['{args}', '{model}', '{role}', '--resume', '{session}'],
      ...['--print', '--output-format', 'stream-json'],
    ],
    last: ['{args}', '{model}', '{role}', '--continue', '--print', '--output-format', 'stream-json'],
  },
  model: ['--model', '{name}'],
  events: CLAUDE_EVENTS,
};

/** Maximum length of a Unix socket path, with a margin. */
const LONGEST_SOCKET_PATH = 100;

/** The scripted agent: it behaves like a tool and records what it actually received. For tests and demonstrations. */
export const scripted: Tool = {
  name: 'scripted',
  process: {
    executable: 'scripted-agent',
    packaged: true,
    names: ['scripted-agent', 'scripted'],
    npmPackage: null,
    nestedMarks: [],
  },
  homeVariable: null,
  resume: ['{args}', '--resume', '{session}'],
  harmlessFlags: ['--model', '--skin', '--turn', '--words'],
  role: { method: 'cli_flag', words: ['--append-system-prompt', '{text}'] },
  additions({ root, launchDir, agentName, headless, args: own }) {
    const paths = { transcript: path.join(root, 'transcript.jsonl'), status: '', control: '' };
    if (!headless) {
      paths.status = path.join(launchDir, 'status.json');
      const control = path.join(launchDir, 'control.sock');
      if (Buffer.byteLength(control) <= LONGEST_SOCKET_PATH) paths.control = control;
    }
    const added = [
      ['--transcript', paths.transcript],
      ['--status-file', paths.status],
      ['--control', paths.control],
    ].filter(([flag, value]) => value !== '' && !own.includes(flag!));
    const after = (flag: string): string | undefined => own[own.indexOf(flag) + 1];
    const metadata: Record<string, string> = {
      transcript_path: own.includes('--transcript') ? (after('--transcript') ?? '') : paths.transcript,
      control_path: own.includes('--control') ? (after('--control') ?? '') : paths.control,
      status_path: own.includes('--status-file') ? (after('--status-file') ?? '') : paths.status,
    };
    return {
      args: ['--name', agentName, ...added.flat()],
      files: [],
      metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== '')),
    };
  },
  mcp: {
    modelName: (_, tool) => tool,
    forSession: mcpFlagWithFile({
      remote: (at) => ({ type: 'http', url: at.url, headers: bearer(at) }),
      local: (program) => program,
      args: (file) => ['--mcp-config', file],
    }),
  },
  headless: HEADLESS,
  detectors: [DETECTOR],
  signals({ fact, clock, changed }) {
    const file = fact('status_path');
    if (file === undefined) return [];
    const conversation = (content: Record<string, unknown>): unknown =>
      content['begun'] === true ? content['session_id'] : undefined;
    const stamp = (content: Record<string, unknown>): unknown => content['updated_at'];
    return [
      new StatusFile({
        source: 'scripted_status_file',
        clock,
        changed,
        place: () => file,
        stamp,
        conversation,
      }),
    ];
  },
};
