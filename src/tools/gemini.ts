import * as path from 'node:path';
import type { ComposerShape } from '../screen/index.ts';
import { BACKEND } from '../wire/houmao/index.ts';
import { AGAIN_TO_EXIT, BRAILLE, FORM_KEYS } from './detector-words.ts';
import type { HeadlessHabits } from './headless-habits.ts';
import { bearer, freeServerName, MCP_START_MS, serversIn, toolNamesIn } from './mcp.ts';
import { overlayHome } from './overlay-home.ts';
import type { SessionPlace, Tool, ToolDetector } from './tool.ts';

const INSIDE: Pick<ComposerShape, 'prompts' | 'ghosts' | 'footerRows'> = {
  prompts: [
    { text: ' > ', mode: 'prompt' },
    { text: ' * ', mode: 'prompt' },
    { text: ' ! ', mode: 'shell' },
    { text: ' (r:) ', mode: 'search' },
  ],
  ghosts: [
    { grey: true, gap: true },
    { form: /^Type your message or @path\/to\/file$/, gap: true },
  ],
  footerRows: 4,
};

/** The API's own words; an answer begins with ✦. */
const LOGGED_OUT = /^✕ \[API Error: .*(\b40[13]\b|\bAPI key\b|UNAUTHENTICATED|PERMISSION_DENIED)/;

/** At the edge; an answer is further from it, or begins with its glyph. */
const IS_LEAVING = new RegExp(`^ ?[^\\s✦>].*${AGAIN_TO_EXIT.source}`, 'i');

/** Gemini CLI. Its title shows all four states, but shows ready while it compresses the chat. It swallows an Enter too soon after a paste. */
const DETECTOR: ToolDetector = {
  versions: {
    from: '0.42.0',
    below: '0.80.0',
    seen: ['0.42.0', '0.45.2', '0.51.0', '0.57.0', '0.60.0', '0.61.0'],
  },
  composers: [
    { frame: { kind: 'lines', above: '▄', below: '▀' }, needsIdleSignal: true, ...INSIDE },
    // Without colour.
    { frame: { kind: 'lines', above: '─', below: '─' }, needsIdleSignal: true, ...INSIDE },
    // With fewer than 2^24 colours there are no lines, only a band of another colour.
    { frame: { kind: 'open' }, clearance: 1, needsIdleSignal: true, ...INSIDE },
  ],
  title: { busy: /^[✦⏲] /, waiting: /^✋ /, idle: /^◇ / },
  signs: [
    { means: 'busy', where: 'above', rows: 6, row: new RegExp(`^ ?[${BRAILLE}]`, 'u') },
    // An answer is further from the edge, or begins with its glyph.
    { means: 'busy', where: 'above', rows: 6, row: /^ ?[^\s✦>].*\(esc to cancel\b/ },
    // In the row where a turn is shown; it is alone there only without a turn.
    { means: 'idle', where: 'above', rows: 4, row: /^\s{10,}\? for shortcuts$/ },
    { means: 'pending', where: 'above', rows: 12, row: /^\s+Queued \(press / },
    { means: 'menu', where: 'above', rows: 10, row: /^ Shortcuts See \/help\b/ },
    { means: 'exit_armed', where: 'above', rows: 4, row: IS_LEAVING },
    { means: 'shell_mode', where: 'above', rows: 2, row: /\bshell mode enabled\b/ },

    { means: 'dialog', where: 'below', row: FORM_KEYS },
    { means: 'interrupted', where: 'turn', row: /^ℹ Request cancelled/ },
    { means: 'failure', where: 'turn', row: /^✕ / },
    { means: 'logged_out', where: 'turn', row: LOGGED_OUT, colour: 'hued' },
    { means: 'success', where: 'turn', row: /^✦ / },
  ],
  completion: { where: 'below', entry: /^ (\S+)(\s|$)/, chosenBy: 'background' },
  transcript: { prompt: /^ ?> ([^\s/]|\/(compress|compact|summarize)\b)/, answered: /^[^\s>▄▀─]/u },
  input: {
    pasteGapMs: 250,
    maxPasteBytes: 200_000,
    maxLineBytes: 8_192,
    changes: ['trims_ends'],
    refuses: [
      { when: /^\s*!/, because: 'a leading ! runs a shell command and stays in shell mode', typedOnly: true },
      { when: /\\$/, because: 'a trailing backslash turns Enter into a new line' },
      { when: /@[\w./-]+$/, because: 'a trailing @name opens a completion that changes the text' },
      {
        when: /^\s*\/[\w:-]+\s*$/,
        because: 'a slash command it does not know is dropped',
        unlessOffered: true,
      },
    ],
    pasteChip: /^\[Pasted Text: ((?<lines>\d+) lines|(?<chars>\d+) chars)\]( #\d+)?$/i,
    interruptKeys: ['Escape'],
    clearKeys: ['C-u'],
    resetCommand: '/clear',
    whileBusy: 'queues',
    restoresPrompt: false,
  },
};

/** Gemini CLI 0.61. An empty `-p` makes it headless; standard input is then the whole prompt. */
const HEADLESS: HeadlessHabits = {
  backend: BACKEND.geminiTurns,
  shape: {
    prompt: 'stdin',
    role: 'prefix',
    create: ['{args}', '{model}', '-p', '', '--output-format', 'stream-json'],
    exact: ['{args}', '{model}', '--resume', '{session}', '-p', '', '--output-format', 'stream-json'],
    last: ['{args}', '{model}', '--resume', 'latest', '-p', '', '--output-format', 'stream-json'],
  },
  model: ['--model', '{name}'],
  events: [
    { when: { type: 'init' }, kind: 'progress', message: ['type'] },
    { when: { type: 'message', role: 'assistant' }, kind: 'assistant', message: ['content'] },
    { when: { type: 'message' }, kind: 'progress', message: ['role'] },
    { when: { type: 'tool_use' }, kind: 'action_request', message: ['tool_name'] },
    { when: { type: 'tool_result' }, kind: 'action_result', message: ['output', 'status'] },
    { when: { type: 'error' }, kind: 'diagnostic', message: ['message'] },
    { when: { type: 'result' }, kind: 'completion', message: ['error.message', 'status'] },
  ],
};

const HOME = 'GEMINI_CLI_HOME';

/**
 * A policy that allows our tools without a question. It has the lowest weight of a person's policies, so every rule of
 * theirs wins; trust of a server would outweigh their rules. Naming a policy replaces their directory of policies, so that
 * directory is named too.
 */
function allowance(
  { launchDir, args, entries }: SessionPlace,
  { source, server, names }: { source: string; server: string; names: string[] },
) {
  const file = path.join(launchDir, 'policy.toml');
  const policies = path.join(source, '.gemini', 'policies');
  const own = entries(policies).length > 0 ? [policies] : [];
  const content = [
    '[[rule]]',
    `mcpName = ${JSON.stringify(server)}`,
    `toolName = ${JSON.stringify(names)}`,
    'decision = "allow"',
    'priority = 0',
    '',
  ].join('\n');
  return {
    file: { path: file, content },
    /** The flag outweighs the setting. */
    args: args.some((arg) => /^--policy(=|$)/.test(arg)) ? ['--policy', file] : [],
    settings: ({ policyPaths }: Record<string, unknown>): object => ({
      policyPaths: [...(Array.isArray(policyPaths) && policyPaths.length > 0 ? policyPaths : own), file],
    }),
  };
}

/** Gemini CLI. Its window title shows ready, working and action required, so nothing is added. */
export const gemini: Tool = {
  name: 'gemini',
  aliases: ['gemini_cli'],
  process: {
    executable: 'gemini',
    names: ['gemini'],
    npmPackage: '@google/gemini-cli',
    nestedMarks: ['GEMINI_CLI'],
  },
  homeVariable: HOME,
  role: { method: 'first_message_flag', words: ['--prompt-interactive', '{text}'] },
  mcp: {
    modelName: (server, tool) => `mcp_${server}_${tool}`,
    config: { inHome: '.gemini/settings.json', byDefault: '.gemini/settings.json', format: 'json' },
    forSession(mcp, place) {
      const source = place.home ?? place.env['HOME'] ?? '/';
      const settings = path.join(source, '.gemini', 'settings.json');
      const server = freeServerName(place, serversIn(place, [settings]));
      const limits = { includeTools: toolNamesIn(mcp), timeout: MCP_START_MS };
      const entry = mcp.http
        ? { httpUrl: mcp.http.url, headers: bearer(mcp.http), ...limits }
        : { ...mcp.program, ...limits };
      const where = { inside: '.gemini', file: 'settings.json', beside: ['.env'] };
      const allow = mcp.allowed ? allowance(place, { source, server, names: toolNamesIn(mcp) }) : undefined;
      const more = allow?.settings;
      const home = overlayHome(place, { source, variable: HOME, ...where, entry, more }, server);
      if (!allow || 'declined' in home) return home;
      return { ...home, args: allow.args, files: [...home.files, allow.file] };
    },
    absence: { atStart: 'not tried again: `/mcp refresh`', whileRunning: 'the next call works' },
  },
  skills: { inHome: '.gemini/skills', byDefault: '.gemini/skills' },
  headless: HEADLESS,
  detectors: [DETECTOR],
  notes: {
    beside: 'title: ready, working, action required',
    taken: 'the transcript, or the row of queued input',
    ended: '`✦` answer, `✕`, `Request cancelled`',
    mcp: 'a home of this session (`GEMINI_CLI_HOME`)',
    allowsTools: 'a policy of the least weight; every rule of yours wins',
    sandbox: 'none',
    allowsMail: "`-- --allowed-tools 'run_shell_command(curl)'`",
    asksTrust: 'always',
  },
};
