import { commandLine } from '../../base/index.ts';
import { relaunchCommand } from '../commands.ts';
import type { NeedKind } from './needs.ts';

interface StateRow {
  /** Which count of the page it belongs to. */
  counted: 'working' | 'idle' | 'waiting' | 'gone' | 'elsewhere' | null;
}

/**
 * What an agent is doing, in the order of lists: those that need a person first. `waiting`: for a moment, or for a person
 * who is at it. `needs_you`: until a person does something. `gone`: the tool does not run. `starting`: its gateway has not
 * looked yet. `not_watched`: its tool runs, but no gateway watches it. `elsewhere`: on another host.
 */
export const AGENT_STATES = {
  needs_you: { counted: null },
  gone: { counted: 'gone' },
  working: { counted: 'working' },
  waiting: { counted: 'waiting' },
  starting: { counted: 'waiting' },
  idle: { counted: 'idle' },
  not_watched: { counted: 'waiting' },
  elsewhere: { counted: 'elsewhere' },
} as const satisfies Record<string, StateRow>;

export type AgentState = keyof typeof AGENT_STATES;

/** What a gateway reports about its agent; `unknown`: not looked at yet. */
export const STANDINGS = ['idle', 'working', 'waiting', 'needs_you', 'gone', 'unknown'] as const;

/** What the words of a standing are made from. */
export interface About {
  /** The value of the reason, or what the gateway adds; empty if there is nothing to add. */
  value: string;
  /** The tool: claude, codex, … */
  tool: string;
  agent: string | null | undefined;
}

type Words = string | ((about: About) => string);

export interface StandingRow {
  state: (typeof STANDINGS)[number];
  /** A few words, without a full stop. */
  words: Words;
  /** What the person is needed for, or wants to know. */
  need?: NeedKind;
  /** What the person has to do. */
  todo?: Words;
  /** Where to do it. Left out for a person who already sees the agent's screen. */
  where?: Words;
  /** Shown after the agent's name, if that is shorter than "needs you: …". */
  says?: string;
  /** The command that `todo` names. */
  command?: (about: About) => string | undefined;
}

const waits = (words: Words): StandingRow => ({ state: 'waiting', words });
const needs = (words: Words, todo: Words, need: NeedKind = 'other'): StandingRow => ({
  state: 'needs_you',
  words,
  need,
  todo,
});
const answerCommand = (agent: string): string => commandLine`rouse answer ${agent}`;
const answers = (words: string, todo: Words, need: NeedKind = 'dialog'): StandingRow => ({
  ...needs(words, todo, need),
  where: ({ agent }) => (agent ? `answer with "${answerCommand(agent)}"` : 'answer in its window'),
  command: ({ agent }) => (agent ? answerCommand(agent) : undefined),
});
const asks = (words: string, question: string, need: NeedKind = 'dialog'): StandingRow => ({
  ...answers(words, `it asks ${question}`, need),
  says: `asks ${question}`,
});
const gone = (words: string, todo: Words): StandingRow => ({
  state: 'gone',
  words,
  need: 'other',
  todo,
  command: ({ agent }) => relaunchCommand(agent),
});

/** Brings back the gateways of this host that should be running. */
export const START_HOSTS = 'rouse host start';

const NO_GATEWAY = 'running, no gateway: will not be woken';

/** Everything that can be the matter with an agent, and what a person has to do about it. */
export const STANDING = {
  idle: { state: 'idle', words: 'idle' },
  idle_by_hand: { state: 'idle', words: 'idle; started by hand: no mail tools, relaunch gives them' },
  working: { state: 'working', words: 'working' },
  owner_working: { state: 'working', words: 'working, as CAO has it' },
  not_looked_at: { state: 'unknown', words: 'not watched' },
  not_ready: waits('not ready'),

  tool_gone: gone('tool gone', ({ agent }) => `its tool has ended; "${relaunchCommand(agent)}" starts it`),
  out_of_reach: gone('out of reach', 'it cannot be reached; look at its window'),
  session_gone: gone(
    'session gone',
    ({ agent }) =>
      `its tmux session is gone; "${relaunchCommand(agent)}" makes it again, "${commandLine`rouse stop ${agent || 'NAME'}`}" forgets it`,
  ),

  process_unseen: waits('its process cannot be looked at'),
  person_typing: waits('someone is typing'),
  unseen_paste: waits('the tool has not answered what was typed'),
  owner_mail: waits('CAO has mail for it'),
  unknown_screen: waits('screen not recognised yet'),
  exit_armed: waits('one more key would end the tool'),
  pending_input: waits('input is queued in the tool'),
  being_typed: waits('a prompt is being typed'),
  usage_limit: { ...waits(({ value }) => limitWords(value)), need: 'usage_limit' },
  limit_stays: needs(
    'still limited',
    'its usage limit stays although its end has passed, and was tried again several times; look at its window, and prompt it there once it works again',
    'usage_limit',
  ),
  credits_spent: needs(
    'credits used up',
    ({ value, tool }) => `${tool} says "${value}"; add credits, and prompt it in its window`,
    'usage_limit',
  ),

  permission_dialog: asks('permission dialog', 'for permission'),
  trust_dialog: asks('trust dialog', 'whether this folder may be trusted', 'trust'),
  login_dialog: needs('login dialog', ({ tool }) => `log in to ${tool} in its window`, 'logged_out'),
  api_key_dialog: answers('API key dialog', ({ tool }) => `${tool} asks which API key to use`),
  first_run: needs(
    'first-run screen',
    ({ tool }) => `finish the first-run set-up of ${tool} in its window`,
    'dialog',
  ),
  update_dialog: needs(
    'update dialog',
    ({ tool }) => `${tool} offers an update of itself; accept or skip it in its window`,
    'update',
  ),
  question: asks('question', 'a question'),
  picker: needs('menu', 'a menu is open in its window; choose or press Escape', 'dialog'),
  form: needs('form', 'a form is open in its window; fill it in or press Escape', 'dialog'),
  dialog: needs('dialog', 'a dialog is open in its window; look at it and answer', 'dialog'),
  menu: needs('menu', 'a menu is open over its composer; press Escape there', 'dialog'),

  other_program: needs('another program in front', 'another program runs in its window; end it'),
  copy_mode: needs('scrolled back', 'its window is in copy mode; press q there'),
  unseen_long: needs(
    'what was typed is not taken',
    'the tool has not taken what was typed; look at its window, and send or delete it there',
  ),
  cao_away: needs('CAO server away', 'the CAO server that owns its terminal does not answer; start it'),
  cao_terminal: needs('unknown to CAO', 'CAO no longer knows its terminal; join another one'),
  cao_window: needs(
    'window renamed',
    'CAO types by the name of its window; give the window back its own name',
  ),
  cao_pane: needs(
    'another pane in front',
    'CAO would type into another pane of its window; close or leave that pane',
  ),
  cao_status: needs(
    ({ value }) => `CAO says ${value}`,
    ({ value }) => `CAO says that it is ${value.replaceAll('_', ' ')}; look at it`,
  ),
  pane_input: needs('pane takes no input', 'its pane does not take input as it should; look at it'),
  trial_shown: needs(
    'trial mark left',
    'the mark ˙ˑ˙ that Rouse typed to find its composer is still there; delete it in its window. Nothing more is typed into it',
  ),
  trial_unseen: needs(
    'trial mark left',
    'Rouse typed the mark ˙ˑ˙ to find its composer and did not see it; look at its window, and delete it if it is there. Nothing more is typed into it',
  ),
  unknown_version: needs(
    'version not known',
    ({ value, tool }) =>
      `version ${value} of ${tool} is not known, so nothing is typed into it; use another version, or update Rouse`,
  ),
  stalled_screen: needs('screen not recognised', 'its screen is not recognised; look at it'),
  shell_mode: needs('shell mode', 'its composer is in shell mode; press Escape there'),
  draft: needs('draft in its composer', 'it has an unsent draft; send or clear it'),
  own_text_left: needs('unsent prompt', 'a prompt that Rouse typed may still be in its composer; look at it'),
  contradiction: needs(
    'contradicting signs',
    ({ value }) => `what is seen contradicts itself (${value}); look at it`,
  ),
  logged_out: needs(
    'logged out',
    ({ value, tool }) => `log in to ${tool} in its window; it says "${value}"`,
    'logged_out',
  ),

  undecided: {
    ...needs(
      'earlier requests undecided',
      'decide about earlier requests: "rouse agents gateway reconcile"',
      'undecided',
    ),
    command: () => 'rouse agents gateway reconcile',
  },
  mail_loop: {
    ...needs(
      'mail loop',
      ({ value }) =>
        `a mail loop: ${value} automatic replies in a thread without a person; write into it, or resume it with "rouse agents gateway mail-notifier resume --thread REF"`,
      'mail_loop',
    ),
    command: () => 'rouse agents gateway mail-notifier resume --thread REF',
  },
  tools_elsewhere: {
    ...needs(
      'mail tools out of reach',
      ({ agent }) =>
        `its gateway had to take another port, so it has lost its mail tools; "${relaunchCommand(agent)}" gives them back`,
    ),
    command: ({ agent }) => relaunchCommand(agent),
  },

  gateway_in_trouble: needs('gateway in trouble', ({ value }) => value, 'gateway_dead'),
  gateway_missing: needs(NO_GATEWAY, ({ value }) => value, 'gateway_dead'),
  gateway_unkept: {
    ...needs(
      'gateway without a keeper',
      `its gateway has lost its keeper, so nothing would start it again; "${START_HOSTS}" gives it another`,
    ),
    command: () => START_HOSTS,
  },
  gateway_not_attached: { state: 'unknown', words: NO_GATEWAY },
  gateway_starting: { state: 'unknown', words: 'gateway is being started' },
} as const satisfies Record<string, StandingRow>;

export type StandingCode = keyof typeof STANDING;

const UNTIL = /^until (\S{10})T(\S{8}Z)$/;

/** Words for the value of the reason `usage_limit`: `until` a time, `continues`, `stays`, `hit`, or the tool's own words for its end. */
export function limitWords(value: string): string {
  const until = UNTIL.exec(value);
  if (until) return `limited until ${until[1]} ${until[2]}`;
  if (value === 'continues') return 'its usage limit has ended, and the tool continues by itself';
  if (value === 'stays') return 'its usage limit stays although its end has passed';
  return value === 'hit' ? 'a usage limit was reached' : `a usage limit was reached (${value})`;
}
