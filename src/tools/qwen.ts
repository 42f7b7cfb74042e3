import * as path from 'node:path';
import { BACKEND } from '../wire/houmao/index.ts';
import { CLAUDE_EVENTS } from './claude/headless.ts';
import { AGAIN_TO_EXIT, BRAILLE, FORM_KEYS } from './detector-words.ts';
import type { HeadlessHabits } from './headless-habits.ts';
import { bearer, mcpDoubleUnderscores, mcpFlagWithFile, toolNamesIn } from './mcp.ts';
import type { SessionMcp, Tool, ToolDetector } from './tool.ts';

/**
 * Qwen Code. Its empty composer shows a placeholder or a suggested next prompt, both in grey or in its theme's colour for
 * hints; typed text has the default colour. Without colours only the placeholder is recognised, because a suggestion could
 * be a person's draft. The title's ✳ means a dialog here.
 */
const DETECTOR: ToolDetector = {
  versions: { from: '0.20.0', below: '0.30.0', seen: ['0.23.4', '0.24.0', '0.24.4'] },
  composers: [
    {
      frame: { kind: 'lines', above: '─', below: '─' },
      prompts: [
        { text: '> ', mode: 'prompt' },
        { text: '* ', mode: 'prompt' },
        { text: '! ', mode: 'shell' },
        { text: '(r:)', mode: 'search' },
      ],
      ghosts: [
        { grey: true },
        { like: /\(shift \+ tab to cycle\)$/ },
        { form: /^Type your message or @path\/to\/file$/, gap: true },
      ],
      footerRows: 4,
      showsCursor: true,
      needsIdleSignal: true,
    },
  ],
  title: { busy: /^[◐◑◒◓]/, waiting: /^✳/, idle: /^\p{L}.* - /u },
  signs: [
    { means: 'busy', where: 'above', rows: 6, row: new RegExp(`^\\s{0,2}[${BRAILLE}]`, 'u') },
    { means: 'busy', where: 'above', rows: 6, row: /\besc to cancel\)/ },
    { means: 'busy', where: 'below', row: /\bEnter to steer\b/ },
    {
      means: 'idle',
      where: 'below',
      row: /^ {2}(?!Enter to steer)\S.*\(shift \+ tab to cycle\)|^ {2}(-- (NORMAL|INSERT) --|\? for shortcuts)/,
    },
    { means: 'pending', where: 'above', rows: 3, row: /\bedit queued messages\b/ },
    { means: 'pending', where: 'below', row: /⏳ \d+ queued\b/ },
    { means: 'exit_armed', where: 'below', row: AGAIN_TO_EXIT },
    { means: 'shell_mode', where: 'below', row: /\bshell mode enabled\b/ },
    { means: 'menu', where: 'below', row: /^ {2}(> |! for |\/ for |@ for )/ },

    { means: 'dialog', where: 'below', row: FORM_KEYS },
    { means: 'interrupted', where: 'turn', row: /^\s+●\S? Request cancelled/ },
    { means: 'failure', where: 'turn', row: /^\s+✕ / },
    {
      means: 'logged_out',
      where: 'turn',
      row: /^\s+✕ \[API Error: (40[13]\b|.*\bAPI key\b)/i,
      colour: 'hued',
    },
    { means: 'success', where: 'turn', row: /^\s+◆/ },
  ],
  completion: { where: 'below', entry: /^ {2}> (\S+)(\s|$)/, chosenBy: 'mark' },
  transcript: { prompt: /^ {2}> [^\s/]/, answered: /^ {2}([^\s>\p{L}\p{N}]|x )/u },
  input: {
    pasteGapMs: 150,
    changes: [],
    refuses: [
      { when: /^\s*!/, because: 'a leading ! runs a shell command and stays in shell mode', typedOnly: true },
      { when: /\\$/, because: 'a trailing backslash turns Enter into a new line' },
      { when: /@[\w./-]+$/, because: 'a trailing @name opens a completion that changes the text' },
      { when: /^\s*\/[\w:-]+(\s|$)/, because: 'a slash command it does not know is dropped' },
    ],
    pasteChip: /^\[Pasted Content (?<chars>\d+) chars\]( #\d+)?$/,
    interruptKeys: ['Escape'],
    clearKeys: ['C-u'],
    resetCommand: '/clear',
    whileBusy: 'steers',
    restoresPrompt: true,
  },
};

/** Qwen Code 0.24. Standard input is the prompt if no other is passed. */
const HEADLESS: HeadlessHabits = {
  backend: BACKEND.turns,
  shape: {
    prompt: 'stdin',
    role: 'arguments',
    create: ['{args}', '{model}', '{role}', '--output-format', 'stream-json'],
    exact: ['{args}', '{model}', '{role}', '--resume', '{session}', '--output-format', 'stream-json'],
    last: ['{args}', '{model}', '{role}', '--continue', '--output-format', 'stream-json'],
  },
  role: ['--append-system-prompt', '{text}'],
  model: ['--model', '{name}'],
  events: CLAUDE_EVENTS,
};

/** Only these tools, in every request; without a question if that is allowed. */
const trusted = (mcp: SessionMcp): object => ({
  alwaysLoadTools: true,
  includeTools: toolNamesIn(mcp),
  ...(mcp.allowed && { trust: true }),
});

/** Qwen Code. */
export const qwen: Tool = {
  name: 'qwen',
  process: {
    executable: 'qwen',
    names: ['qwen'],
    npmPackage: '@qwen-code/qwen-code',
    nestedMarks: ['QWEN_CODE'],
  },
  homeVariable: null,
  harmlessFlags: ['--model', '-m'],
  role: { method: 'first_message_flag', words: ['--prompt-interactive', '{text}'] },
  mcp: {
    modelName: mcpDoubleUnderscores,
    config: { inHome: 'settings.json', byDefault: '.qwen/settings.json', format: 'json' },
    forSession: mcpFlagWithFile({
      remote: (at, mcp) => ({ httpUrl: at.url, headers: bearer(at), ...trusted(mcp) }),
      local: (program, mcp) => ({ ...program, ...trusted(mcp) }),
      configured: ({ env, workdir }) =>
        [env['HOME'] ?? '/', workdir].map((directory) => path.join(directory, '.qwen', 'settings.json')),
      args: (file) => ['--mcp-config', file],
    }),
    absence: {
      atStart: 'not tried again: `/mcp`, the server, Reconnect',
      whileRunning: 'a call made while it was away takes the tools away: `/mcp`, the server, Reconnect',
    },
  },
  skills: { inHome: 'skills', byDefault: '.qwen/skills' },
  headless: HEADLESS,
  detectors: [DETECTOR],
  notes: {
    beside: 'title',
    taken: 'the transcript, or the row of queued input',
    ended: '`◆` answer, `✕`, `Request cancelled`',
    mcp: '`--mcp-config` file',
    allowsTools: '`trust` of the server, `includeTools`; your deny wins',
    sandbox: 'none',
    allowsMail: "`-- --allowed-tools 'run_shell_command(curl)'`",
  },
};
