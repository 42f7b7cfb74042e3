import { type Clock, invalid, nearest } from '../base/index.ts';
import type { PlanDefaults } from './control/directives.ts';
import type { Journal } from './control/journal.ts';
import { Faults } from './faults.ts';
import { fingerprint } from './fingerprint.ts';
import { Composer, type Source } from './tui/composer.ts';
import type { Dialog, DialogRequest } from './tui/dialog.ts';
import { DialogQueue } from './tui/dialog-queue.ts';
import type { Skin } from './tui/skin.ts';
import { SKINS } from './tui/skins.ts';
import type { Block, View } from './tui/view.ts';
import { COMMANDS } from './turns/submission.ts';
import {
  type Outcome,
  type ProcessEnd,
  type Prompt,
  type Turn,
  TurnEngine,
  type TurnHost,
} from './turns/turn-engine.ts';

export interface AgentParts {
  clock: Clock;
  journal: Journal;
  skin: Skin;
  name: string;
  cwd: string;
  life: string;
  defaults: PlanDefaults;
  busyInput: 'queue' | 'steer' | undefined;
  mail: TurnHost['mail'];
  /** Something visible has changed. */
  redraw: () => void;
  hungChanged: () => void;
  /** Ends the program. */
  end: (ending: ProcessEnd) => void;
}

const KEPT_BLOCKS = 300;
const ARMED_MS = 1500;

/** The state of the interactive agent and everything that can be done to it, by keys or by control messages. */
export class Agent implements TurnHost {
  readonly composer = new Composer();
  readonly faults = new Faults();
  readonly engine: TurnEngine;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly history: string[] = [];
  skin: Skin;
  busyInput: 'queue' | 'steer' | undefined;
  shellMode = false;
  banner: string | undefined;
  hung = false;
  /** Logged out: the program accepts prompts and answers them itself. */
  loggedOut = false;
  /** A command menu that stayed open although its text is gone. */
  leftMenu: readonly string[] = [];
  #title: string | undefined;
  #parts: AgentParts;
  #dialogs: DialogQueue;
  #blocks: Block[] = [{ id: 1, kind: 'banner', text: '' }];
  #blockCount = 1;
  #draftShown = { text: '', cursor: 0 };
  #draftChangedAt = Number.NEGATIVE_INFINITY;
  #armed: { key: string; hint: string; cancel: () => void } | undefined;

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.clock = parts.clock;
    this.journal = parts.journal;
    this.skin = parts.skin;
    this.busyInput = parts.busyInput;
    const { clock, journal, defaults, life } = parts;
    this.engine = new TurnEngine({ clock, journal, defaults, life, host: this });
    this.#dialogs = new DialogQueue(journal, life);
  }

  get state(): 'hung' | 'dialog' | 'busy' | 'ready' {
    if (this.hung) return 'hung';
    if (this.dialog) return 'dialog';
    return this.engine.current ? 'busy' : 'ready';
  }

  get dialog(): Dialog | undefined {
    return this.#dialogs.open;
  }

  say(kind: Block['kind'], text: string): void {
    this.#blocks.push({ id: ++this.#blockCount, kind, text });
    if (this.#blocks.length > KEPT_BLOCKS) this.#blocks.splice(0, this.#blocks.length - KEPT_BLOCKS);
    this.changed();
  }

  clearConversation(): void {
    this.#blocks = [];
    this.say('banner', '');
  }

  setSkin(name: string): void {
    const skin = SKINS.get(name);
    if (!skin) {
      const near = nearest(name, SKINS.keys());
      throw invalid(`there is no skin "${name}"`, {
        hint: `Known skins: ${[...SKINS.keys()].join(', ')}.${near.length ? ` Did you mean ${near[0]}?` : ''}`,
      });
    }
    this.skin = skin;
    this.journal.record('skin_changed', { skin: name });
    this.changed();
  }

  /** A hung agent neither reads nor draws; its turn continues invisibly. */
  setHung(hung: boolean): void {
    if (this.hung === hung) return;
    this.hung = hung;
    this.journal.record(hung ? 'hung' : 'released');
    this.#parts.hungChanged();
    this.changed();
  }

  logIn(): void {
    if (!this.loggedOut) return;
    this.loggedOut = false;
    this.say('prompt', '/login');
    this.say('notice', 'Logged in');
  }

  set title(text: string | undefined) {
    this.#title = text;
    this.changed();
  }

  get title(): string | undefined {
    return this.#title;
  }

  /** Opens a dialog, or queues it behind the open one. Resolves with the answer. */
  ask(request: DialogRequest, signal?: AbortSignal): Promise<string> {
    const aborted = (id: string): void => void this.answer('aborted', 'turn', id);
    const answered = this.#dialogs.ask(request, this.skin.dialog, aborted, signal);
    this.changed();
    return answered;
  }

  /** Closes a dialog (by default the open one). False when it no longer exists. */
  answer(answer: string, by: 'key' | 'control' | 'turn', id = this.dialog?.id): boolean {
    const closed = this.#dialogs.answer(answer, by, id);
    if (!closed) return false;
    if (closed.kind === 'trust' && answer === 'exit') this.end({ kind: 'exit', code: 1 });
    else if (this.state === 'ready') this.journal.record('ready');
    this.changed();
    return true;
  }

  /** The draft changed. It is shown now, or later if the echo lags. */
  draftChanged(): void {
    const shown = this.composer.view;
    const { echoLateMs, menuLateMs } = this.faults;
    this.#draftChangedAt = this.clock.monotonic();
    if (menuLateMs > 0) this.clock.after(menuLateMs, () => this.changed());
    if (echoLateMs > 0) {
      this.clock.after(echoLateMs, () => {
        this.#draftShown = shown;
        this.changed();
      });
    } else this.#draftShown = shown;
    if (this.journal.events.listenerCount > 0) {
      this.journal.announce('draft', { empty: this.composer.isEmpty, ...fingerprint(this.composer.text) });
    }
    this.changed();
  }

  setDraft(text: string, source: Source): void {
    this.composer.replace(text, source);
    this.draftChanged();
  }

  /** On the first press, asks for a second one and returns false. True on a second press in time. */
  pressedTwice(key: string, hint: string): boolean {
    const again = this.#armed?.key === key;
    this.disarm();
    if (again) return true;
    const cancel = this.clock.after(ARMED_MS, () => {
      this.#armed = undefined;
      this.changed();
    });
    this.#armed = { key, hint, cancel };
    this.changed();
    return false;
  }

  disarm(): void {
    this.#armed?.cancel();
    this.#armed = undefined;
  }

  mail(prompt: string, turnId: string, signal: AbortSignal): Promise<string | undefined> {
    return this.#parts.mail(prompt, turnId, signal);
  }

  began(_turn: Turn, prompt: Prompt): void {
    this.say('prompt', prompt.shown);
  }

  finished(turn: Turn, outcome: Outcome, remark: string | undefined): void {
    if (this.loggedOut) this.say('notice', 'Not logged in · run /login');
    else if (turn.answer !== '') this.say('answer', turn.answer);
    if (outcome === 'interrupted') this.#wasInterrupted(turn);
    if (outcome === 'denied') this.say('notice', 'Not allowed. What should the agent do instead?');
    if (outcome === 'failed') this.say('notice', `Error: ${remark ?? 'unknown'}`);
    const { limit, skin, draft } = turn.plan;
    if (limit) this.banner = 'Usage limit reached · resets at 5 pm';
    if (skin !== undefined && SKINS.has(skin)) this.setSkin(skin);
    if (draft !== undefined) this.setDraft(draft, 'scripted');
    if (this.engine.queue.length === 0 && !this.dialog) this.journal.record('ready');
  }

  #wasInterrupted(turn: Turn): void {
    const prompt = turn.prompts[0];
    if (this.skin.habits.restoresPrompt && turn.answer === '' && this.composer.isEmpty && prompt) {
      this.setDraft(prompt.text, 'recalled');
    } else this.say('notice', 'Interrupted · what should the agent do instead?');
  }

  end(ending: ProcessEnd): void {
    this.#parts.end(ending);
  }

  changed(): void {
    this.#parts.redraw();
  }

  view(columns: number, rows: number): View {
    const { current, queue } = this.engine;
    const elapsedMs = current ? this.clock.monotonic() - current.startedAt : 0;
    const busy = current && elapsedMs >= this.faults.busyLagMs;
    return {
      skin: this.skin,
      columns,
      rows,
      name: this.#parts.name,
      cwd: this.#parts.cwd,
      blocks: this.#blocks,
      pending: queue.map((entry) => entry.prompt.shown),
      draft: this.#draftShown,
      shellMode: this.shellMode,
      busy: busy ? { elapsedMs, frame: Math.floor(elapsedMs / 100), answer: current.answer } : undefined,
      dialog: this.dialog,
      banner: this.banner,
      hint: this.#armed?.hint,
      menu: this.menu,
    };
  }

  get menu(): readonly string[] {
    const { text } = this.#draftShown;
    if (!/^\/\w*$/.test(text)) return this.leftMenu;
    const late = this.clock.monotonic() - this.#draftChangedAt < this.faults.menuLateMs;
    return COMMANDS.filter((command) => command.startsWith(text) !== late);
  }
}
