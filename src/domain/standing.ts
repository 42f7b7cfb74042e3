/**
 * How it stands with an agent, in plain words, and what a person has to do about it: the one home of what is shown as
 * "needs you: …" by `rouse why`, `gateway status`, `tui state` and every list of agents.
 *
 * Made from the reasons of the readiness gate as they are observed, stored and sent (`dialog='permission'`), and from what
 * the gateway adds to them; so it is the same for a live agent and for one that is read from a file. Words only: nothing
 * is decided by them, and what has no words here is still not typed into.
 */
export const STANDINGS = ['idle', 'working', 'waiting', 'needs_you', 'gone', 'unknown'] as const;

export interface Standing {
  /**
   * `waiting`: for a moment, or for somebody who is at it. `needs_you`: until a person does something. `gone`: the tool
   * does not run. `unknown`: nobody has looked.
   */
  state: (typeof STANDINGS)[number];
  /** A few words, without a full stop: `working`, `permission dialog`, `draft in its composer`. */
  words: string;
  /** What the person is to do; null while nobody is needed. Stands behind "needs you: ". */
  needs_you: string | null;
}

export interface KnownOfAgent {
  /** What the tool is called: claude, codex, … */
  tool: string;
  /** The gate's reasons, `name='value'` each, in its order; none: a prompt may be typed. Undefined: nobody has looked. */
  reasons: readonly string[] | undefined;
  request_admission?: string | undefined;
  /** Automatic replies in a thread whose wakes are paused for them. */
  mail_loop?: number | undefined;
  /** Its gateway is not where the tool was told to find its mail tools. */
  tools_elsewhere?: boolean | undefined;
}

interface Told {
  state: Exclude<Standing['state'], 'idle'>;
  words: string;
  needs_you?: string;
}

type Words = (value: string, tool: string) => Told;

const needs = (words: string, needs_you: string): Told => ({ state: 'needs_you', words, needs_you });
const waits = (words: string): Told => ({ state: 'waiting', words });

const DIALOGS: Record<string, Words> = {
  permission: () => needs('permission dialog', 'it asks for permission; answer in its window'),
  trust: () => needs('trust dialog', 'it asks whether this folder may be trusted; answer in its window'),
  login: (_, tool) => needs('login dialog', `log in to ${tool} in its window`),
  api_key: (_, tool) => needs('API key dialog', `${tool} asks which API key to use; answer in its window`),
  first_run: (_, tool) => needs('first-run screen', `finish the first-run set-up of ${tool} in its window`),
  update: (_, tool) =>
    needs('update dialog', `${tool} offers an update of itself; accept or skip it in its window`),
  question: () => needs('question', 'it asks a question; answer in its window'),
  picker: () => needs('menu', 'a menu is open in its window; choose or press Escape'),
  text_field: () => needs('form', 'a form is open in its window; fill it in or press Escape'),
};

const UNKNOWN_DIALOG = needs('dialog', 'a dialog is open in its window; look at it and answer');

/** In the order in which they are told; the first that needs a person is what is asked for. */
const REASONS: Record<string, Words> = {
  process: (value) =>
    value === 'gone' || value === 'shell'
      ? {
          state: 'gone',
          words: 'tool gone',
          needs_you: 'its tool has ended; "rouse agents relaunch" starts it',
        }
      : needs('another program in front', 'another program runs in its window; end it'),
  connectivity: () => ({
    state: 'gone',
    words: 'out of reach',
    needs_you: 'it cannot be reached; look at its window',
  }),
  copy_mode: () => needs('scrolled back', 'its window is in copy mode; press q there'),
  person_typing: () => waits('somebody is typing'),
  unseen_paste: () => waits('the tool has not answered what was typed'),
  cao: () => needs('CAO server away', 'the CAO server that owns its terminal does not answer; start it'),
  cao_terminal: () => needs('unknown to CAO', 'CAO no longer knows its terminal; join another one'),
  cao_window: () =>
    needs('window renamed', 'CAO types by the name of its window; give the window back its own name'),
  cao_pane: () =>
    needs(
      'another pane in front',
      'CAO would type into another pane of its window; close or leave that pane',
    ),
  cao_status: (status) =>
    status === 'processing'
      ? { state: 'working', words: 'working, as CAO has it' }
      : needs(`CAO says ${status}`, `CAO says that it is ${status.replaceAll('_', ' ')}; look at it`),
  cao_inbox: () => waits('CAO has mail for it'),
  pane_input: () => needs('pane takes no input', 'its pane does not take input as it should; look at it'),
  dialog: (kind, tool) => DIALOGS[kind]?.(kind, tool) ?? UNKNOWN_DIALOG,
  tool_version: (version, tool) =>
    needs(
      'version not known',
      `version ${version} of ${tool} is not known, so nothing is typed into it; use another version, or update Rouse`,
    ),
  stalled: () => needs('screen not recognised', 'its screen is not recognised; look at it'),
  ready_posture: () => waits('screen not recognised yet'),
  menu: () => needs('menu', 'a menu is open over its composer; press Escape there'),
  input_mode: () => needs('shell mode', 'its composer is in shell mode; press Escape there'),
  editing_input: () => needs('draft in its composer', 'a draft stands in its composer; send or delete it'),
  exit_armed: () => waits('one more key would end the tool'),
  phase: () => ({ state: 'working', words: 'working' }),
  active_turn_id: () => ({ state: 'working', words: 'working' }),
  pending_input: () => waits('input is queued in the tool'),
  contradiction: (what) =>
    needs('contradicting signs', `what is seen contradicts itself (${what}); look at it`),
  usage_limit: (until) => waits(until === 'hit' ? 'usage limit reached' : `usage limit reached (${until})`),
  logged_out: (said, tool) => needs('logged out', `log in to ${tool} in its window; it says "${said}"`),
};

/** What kind of matter it is that a person is needed for. */
export type StandingMatter =
  | 'dialog'
  | 'trust'
  | 'update'
  | 'logged_out'
  | 'usage_limit'
  | 'mail_loop'
  | 'undecided'
  | 'gone'
  | 'other';

const MATTERS: Record<string, StandingMatter> = {
  'permission dialog': 'dialog',
  'trust dialog': 'trust',
  'login dialog': 'logged_out',
  'API key dialog': 'dialog',
  'first-run screen': 'dialog',
  'update dialog': 'update',
  question: 'dialog',
  menu: 'dialog',
  form: 'dialog',
  dialog: 'dialog',
  'logged out': 'logged_out',
  'mail loop': 'mail_loop',
  'earlier requests undecided': 'undecided',
  'tool gone': 'gone',
  'out of reach': 'gone',
  'session gone': 'gone',
};

/** By the words of a standing; null while nobody is needed. A usage limit ends by itself, and people want to know of it. */
export function matterOf({ words, needs_you }: Pick<Standing, 'words' | 'needs_you'>): StandingMatter | null {
  if (words.startsWith('usage limit reached')) return 'usage_limit';
  return needs_you === null ? null : (MATTERS[words] ?? 'other');
}

/** A matter of a second that is nobody's business: a still screen is told the same as one that will be in a moment. */
const PASSING = "stable='false'";

const FRAGMENT = /^(\w+)='([\s\S]*)'$/;

/** Pure: the same knowledge gives the same words. */
export function standingOf({ tool, reasons, ...gateway }: KnownOfAgent): Standing {
  const lasting = reasons?.filter((reason) => reason !== PASSING);
  const told = (lasting ?? []).flatMap((reason) => {
    const [, name = '', value = ''] = FRAGMENT.exec(reason) ?? [];
    return REASONS[name]?.(value, tool) ?? [];
  });
  const asked = [...told, ...askedByGateway(gateway)].find((each) => each.needs_you);
  const shown = asked?.state === 'needs_you' ? asked : (told[0] ?? asked);
  if (shown) return { ...shown, needs_you: asked?.needs_you ?? null };
  if (lasting === undefined) return { state: 'unknown', words: 'not watched', needs_you: null };
  return lasting.length === 0
    ? { state: 'idle', words: 'idle', needs_you: null }
    : { state: 'waiting', words: 'not ready', needs_you: null };
}

type KnownOfGateway = Pick<KnownOfAgent, 'request_admission' | 'mail_loop' | 'tools_elsewhere'>;

function askedByGateway({ request_admission, mail_loop, tools_elsewhere }: KnownOfGateway): Told[] {
  const asked: Told[] = [];
  if (request_admission === 'blocked_reconciliation')
    asked.push(
      needs('earlier requests undecided', 'decide about earlier requests: "rouse agents gateway reconcile"'),
    );
  if (mail_loop !== undefined)
    asked.push(
      needs(
        'mail loop',
        `a mail loop: ${mail_loop} automatic replies in a thread without a person; write into it, or resume it with "rouse agents gateway mail-notifier resume"`,
      ),
    );
  if (tools_elsewhere)
    asked.push(
      needs(
        'mail tools out of reach',
        'its gateway had to take another port, so it has lost its mail tools; "rouse agents relaunch" gives them back',
      ),
    );
  return asked;
}
