import type { Tool } from '../../src/tools/index.ts';

/** A made-up tool: everything Rouse knows about it is in this file. Its program is made-up-agent.mjs. */
const madeUp: Tool = {
  name: 'madeup',
  process: { executable: 'madeup', names: ['madeup'], npmPackage: null, nestedMarks: ['MADEUP_INSIDE'] },
  homeVariable: 'MADEUP_HOME',
  role: { method: 'cli_flag', words: ['--role', '{text}'] },
  skills: { inHome: 'skills', byDefault: '.madeup/skills', call: (skill) => `%${skill}` },
  headless: {
    backend: 'generic_headless',
    shape: {
      prompt: 'stdin',
      role: 'arguments',
      create: ['{args}', '{model}', '{role}', '--once'],
      exact: ['{args}', '{model}', '{role}', '--once', '--chat', '{session}'],
      last: ['{args}', '{model}', '{role}', '--once'],
    },
    model: [],
    sessionId: { when: { said: 'begin' }, path: 'chat' },
    events: [
      { when: { said: 'begin' }, kind: 'progress', message: ['said'] },
      { when: { said: 'answer' }, kind: 'assistant', message: ['text'] },
      { when: { said: 'end' }, kind: 'completion', message: ['said'] },
    ],
  },
  detectors: [
    {
      versions: { from: '0.0.0', below: '9.0.0', seen: [] },
      composers: [
        {
          frame: { kind: 'lines', above: '─', below: '─' },
          prompts: [{ text: '» ', mode: 'prompt' }],
          ghosts: [],
          footerRows: 1,
        },
      ],
      title: {},
      signs: [
        { means: 'busy', where: 'above', rows: 1, row: /^~ pondering/ },
        { means: 'success', where: 'turn', row: /^= / },
      ],
      transcript: { prompt: /^» \S/ },
      input: {
        pasteGapMs: 20,
        changes: [],
        refuses: [],
        pasteChip: /^\[\d+ lines\]$/,
        interruptKeys: ['Escape'],
        clearKeys: ['C-u'],
        resetCommand: '/new',
        whileBusy: 'queues',
        restoresPrompt: false,
      },
    },
  ],
};

export default madeUp;
