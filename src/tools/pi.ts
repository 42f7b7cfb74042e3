import * as path from 'node:path';
import { BACKEND } from '../wire/houmao/index.ts';
import { BRAILLE } from './detector-words.ts';
import type { HeadlessHabits } from './headless-habits.ts';
import { MCP_NAME } from './mcp.ts';
import { piExtension } from './pi-extension.ts';
import type { Tool, ToolDetector } from './tool.ts';

/** pi before 1.0. No glyph and no placeholder: an empty row between two lines. Its banner always mentions interrupting. */
const OLDER_DETECTOR: ToolDetector = {
  versions: {
    from: '0.60.0',
    below: '0.88.0',
    seen: ['0.60.0', '0.65.0', '0.70.2', '0.72.1', '0.73.1', '0.79.10', '0.84.4', '0.87.1'],
  },
  composers: [
    {
      frame: { kind: 'lines', above: '─', below: '─' },
      prompts: [{ text: '', mode: 'prompt' }],
      ghosts: [],
      footerRows: 4,
      menuAboveCursor: /^→ /,
      needsIdleSignal: true,
      idleGap: { used: 1, fresh: 2 },
    },
  ],
  title: {},
  signs: [
    { means: 'busy', where: 'above', row: new RegExp(`^ ?[${BRAILLE}] `, 'u'), colour: 'set' },
    { means: 'busy', where: 'below', row: new RegExp(`^ ?[${BRAILLE}] `, 'u'), colour: 'set' },
    {
      means: 'busy',
      where: 'above',
      rows: 1,
      row: new RegExp(`^ ?[${BRAILLE}] .*\\.\\.\\.( \\(.*\\))?$`, 'u'),
    },
    // Newer versions write the state into the line above the text.
    { means: 'busy', where: 'edge', row: /^─+ (?!↑ \d+ more)\S/ },
    // The output of /session ends with a blank row.
    { means: 'idle', where: 'above', rows: 1, row: /^ (Total|Cost): \S+$/, colour: 'set' },
    { means: 'pending', where: 'above', rows: 6, row: /^ ↳ .*\bqueued messages?\b/ },
    { means: 'menu', where: 'below', row: /^→ |^ {2}\(\d+\/\d+\)$/ },
    { means: 'dialog', where: 'inside', row: /^[→›] |^>\s*$/ },
    { means: 'interrupted', where: 'turn', rows: 2, row: /^ Operation aborted$/ },
    { means: 'failure', where: 'turn', rows: 3, row: /^ Error: / },
    { means: 'logged_out', where: 'above', rows: 2, row: /^ Error: 40[13]\b/, colour: 'set' },
    { means: 'logged_out', where: 'above', rows: 4, row: /^ Error: 40[13]: \{/, colour: 'set' },
    // Without a model its status line names none, whatever warnings came since.
    { means: 'logged_out', where: 'below', row: /^\s*[\d.]+%\/0 \(auto\) +unknown$/, says: 'no model' },
    {
      means: 'logged_out',
      where: 'above',
      rows: 3,
      row: /\bUse \/login to log into a provider\b/,
      colour: 'set',
    },
  ],
  completion: { where: 'below', entry: /^→ (\S+)(\s|$)/, chosenBy: 'mark' },
  transcript: { prompt: /^(?!)/, banner: /^ (pi v\d|Pi can explain its own features)/ },
  input: {
    pasteGapMs: 100,
    changes: ['tabs_to_4_spaces'],
    refuses: [
      { when: /^\s*!/, because: 'a leading ! runs a shell command without approval' },
      { when: /\\$/, because: 'a trailing backslash turns Enter into a new line' },
    ],
    pasteChip: /^\[paste #\d+( \+(?<lines>\d+) lines| (?<chars>\d+) chars)\]$/,
    interruptKeys: ['Escape'],
    clearKeys: ['C-u'],
    resetCommand: '/new',
    whileBusy: 'steers',
    restoresPrompt: false,
  },
};

/**
 * pi, on the alternate screen, or on the main one if a person configured that. It writes its state into the line above the
 * text; while nothing runs, that line is unbroken.
 */
const DETECTOR: ToolDetector = {
  ...OLDER_DETECTOR,
  versions: { from: '1.0.0', below: '1.10.0', seen: ['1.3.0', '1.5.0', '1.5.2'] },
  composers: OLDER_DETECTOR.composers.map(({ idleGap: _, ...shape }) => shape),
  signs: [
    { means: 'idle', where: 'edge', row: /^─+$/ },
    { means: 'busy', where: 'above', rows: 1, row: new RegExp(`^─+ [${BRAILLE}] `, 'u') },
    // A shell command of the person, in a box of lines.
    { means: 'busy', where: 'above', rows: 2, row: new RegExp(`^ [${BRAILLE}] Running\\.\\.\\. \\(`, 'u') },
    ...OLDER_DETECTOR.signs.filter(({ means, rows }) => means !== 'idle' && !(means === 'busy' && rows)),
  ],
  transcript: { prompt: /^(?!)/, banner: /^ (▀▀█ +v\d|Pi can explain its own features)/ },
};

/** Pi 0.73. It trims the prompt. */
const HEADLESS: HeadlessHabits = {
  backend: BACKEND.turns,
  shape: {
    prompt: 'stdin',
    role: 'arguments',
    create: ['{args}', '{model}', '{role}', '--mode', 'json', '-p'],
    exact: ['{args}', '{model}', '{role}', '--session', '{session}', '--mode', 'json', '-p'],
    last: ['{args}', '{model}', '{role}', '-c', '--mode', 'json', '-p'],
  },
  model: ['--model', '{name}'],
  reasoning: {
    words: ['--thinking', '{level}'],
    ladder: ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'],
  },
  sessionId: { when: { type: 'session' }, path: 'id' },
  events: [
    { when: { type: 'session' }, kind: 'progress', message: ['type'] },
    { when: { type: 'agent_start' }, kind: 'progress', message: ['type'] },
    { when: { type: 'turn_start' }, kind: 'progress', message: ['type'] },
    { when: { type: 'turn_end' }, kind: 'progress', message: ['type'] },
    { when: { type: 'message_start' }, kind: 'progress', message: ['message.role'] },
    { when: { type: 'message_update' }, kind: 'progress', message: ['assistantMessageEvent.type'] },
    {
      when: { type: 'message_end', 'message.role': 'assistant' },
      kind: 'assistant',
      message: ['message.content', 'message.errorMessage'],
    },
    { when: { type: 'message_end' }, kind: 'progress', message: ['message.role'] },
    { when: { type: 'tool_execution_start' }, kind: 'action_request', message: ['toolName'] },
    { when: { type: 'tool_execution_update' }, kind: 'progress', message: ['toolName'] },
    { when: { type: 'tool_execution_end' }, kind: 'action_result', message: ['toolName'] },
    { when: { type: 'agent_end' }, kind: 'completion', message: ['type'] },
  ],
};

/** Pi. */
export const pi: Tool = {
  name: 'pi',
  process: {
    executable: 'pi',
    names: ['pi'],
    // Up to 0.73 it was @mariozechner/pi-coding-agent.
    npmPackage: '@earendil-works/pi-coding-agent',
    nestedMarks: [],
  },
  homeVariable: 'PI_CODING_AGENT_DIR',
  harmlessFlags: ['--model'],
  role: { method: 'cli_flag', words: ['--append-system-prompt', '{text}'] },
  mcp: {
    modelName: (server, tool) => `${server}_${tool}`,
    forSession(mcp, { launchDir }) {
      const file = path.join(launchDir, 'rouse-pi.mjs');
      const content = piExtension(MCP_NAME, mcp);
      return {
        door: 'extension',
        server: MCP_NAME,
        args: ['-e', file],
        files: [{ path: file, content }],
      };
    },
    absence: { atStart: 'no matter', whileRunning: 'no matter: the mailbox itself is used' },
  },
  skills: { inHome: 'skills', byDefault: '.pi/agent/skills' },
  headless: HEADLESS,
  detectors: [DETECTOR, OLDER_DETECTOR],
  notes: {
    beside: '–',
    taken: 'the transcript',
    ended: 'only errors and interrupts; the ledger of a turn that ends well has no *turn finished*',
    mcp: '`-e` extension with the same tools',
    allowsTools: 'it never asks',
    sandbox: 'none',
    allowsMail: 'nothing; it never asks',
  },
};
