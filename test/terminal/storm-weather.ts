import { messageOf } from '../../src/base/index.ts';
import { fingerprint } from '../support/scripted-agent.ts';
import type { Seeded } from '../support/seeded.ts';
import type { PersonAtClient } from './person-at-client.ts';
import type { TestPane } from './test-pane.ts';

/** The faults around one prompt, and how often each occurs. */
export const FAULTS = {
  none: 30,
  swallow: 8,
  slow_redraw: 6,
  echo_late: 5,
  busy_lag: 4,
  lose_prompt: 3,
  ignore_paste: 2,
  modal_before: 6,
  modal_during: 10,
  busy_before: 6,
  busy_during: 5,
  busy_forced: 4,
  person_draft: 5,
  person_client: 2,
  crash_before: 3,
  crash_during: 4,
  resize_during: 5,
  skin: 5,
  same_again: 4,
  lose_same_again: 2,
  turn_dialog: 3,
  hang: 2,
  /** Thirty seconds each; only in long runs. */
  busy_long: 0,
};
export type Fault = keyof typeof FAULTS;

/** The faults that occur while the lane is typing. */
export const WHILE_TYPING: ReadonlySet<Fault> = new Set([
  'modal_during',
  'busy_during',
  'crash_during',
  'resize_during',
  'hang',
]);

/** What is judged at the end. */
export interface Aftermath {
  /** Lines that a person sent. */
  personLines: string[];
  /** Screens of shells after the agent crashed. */
  shells: string[];
}

const SKINS = ['plain', 'claude-like', 'qwen-like', 'copilot-like', 'kimi-like'];
/** The agent's own status. */
export interface Status {
  state: string;
  draft: { bytes: number };
}

/** The trouble around one prompt: before it, during it, and how it is cleared. */
export class Weather {
  readonly #pane: TestPane;
  readonly #person: PersonAtClient;
  readonly #random: Seeded;
  readonly #storm: Aftermath;
  #pending: Promise<unknown>[] = [];
  #crashed = false;
  #resized = false;

  constructor(pane: TestPane, person: PersonAtClient, random: Seeded, storm: Aftermath) {
    this.#pane = pane;
    this.#person = person;
    this.#random = random;
    this.#storm = storm;
  }

  /** Starts a turn without a prompt. A late turn of the prompt before has the same effect. */
  async #busy(ms: number): Promise<void> {
    await this.#pane.control.send('busy', { ms }).catch((error: unknown) => {
      if (!messageOf(error).includes('a turn is already running')) throw error;
    });
  }

  async before(fault: Fault, number: number): Promise<void> {
    const { control } = this.#pane;
    const random = this.#random;
    const line = `a line of a person, number ${number}`;
    if (fault === 'swallow') await control.send('swallow-enter', { count: random.whole(1, 4) });
    if (fault === 'slow_redraw') await control.send('slow-redraw', { ms: random.whole(50, 600) });
    if (fault === 'echo_late') await control.send('echo-late', { ms: random.whole(20, 500) });
    if (fault === 'busy_lag') await control.send('busy-lag', { ms: random.whole(50, 400) });
    if (fault === 'lose_prompt' || fault === 'lose_same_again') await control.send('lose-prompt');
    if (fault === 'ignore_paste') await control.send('ignore-paste');
    if (fault === 'modal_before') await this.#dialog(random.pick(['permission', 'question', 'menu']));
    if (fault === 'busy_before') await this.#busy(random.whole(50, 500));
    if (fault === 'busy_long') await this.#busy(30_000);
    if (fault === 'busy_forced') await this.#busy(random.whole(300, 900));
    if (fault === 'skin') await control.send('skin', { name: random.pick(SKINS) });
    if (fault === 'person_draft') {
      this.#storm.personLines.push(line);
      await this.#pane.type(line);
      // Waits for the screen, not only the agent: keys that are not shown yet and came from no client cannot be noticed.
      await this.#pane.shows(line);
    }
    if (fault === 'person_client') {
      this.#storm.personLines.push(line);
      const arrived = control.event(
        'submitted',
        ({ sha256 }) => sha256 === fingerprint(line).sha256,
        control.mark,
      );
      this.#pending.push(this.#person.writes(line, arrived));
      await this.#person.begun;
    }
    if (fault === 'crash_before') await this.#crash();
  }

  /** Opens a dialog and waits until it is visible. */
  async #dialog(kind: string): Promise<void> {
    const { control } = this.#pane;
    const { mark } = control;
    await control.send('open-dialog', { kind });
    await control.event('drawn', ({ state }) => state === 'dialog', mark);
    await this.#pane.screen();
  }

  /** Begins together with the delivery, at its own instant. */
  during(fault: Fault, tries: number): void {
    if (tries > 1) return;
    const { control } = this.#pane;
    const at = this.#random.whole(0, 70);
    const later = (act: () => Promise<unknown>): void => {
      const acted = new Promise((resolve) => setTimeout(resolve, at)).then(act);
      this.#pending.push(acted.catch(() => {}));
    };
    if (fault === 'modal_during') later(() => control.send('open-dialog', { kind: 'permission' }));
    if (fault === 'busy_during') later(() => control.send('busy', { ms: this.#random.whole(50, 400) }));
    if (fault === 'hang') later(() => control.send('hang', { ms: this.#random.whole(50, 1500) }));
    if (fault === 'crash_during') later(() => this.#crash());
    if (fault === 'resize_during') {
      this.#resized = true;
      const [columns, rows] = [this.#random.whole(40, 140), this.#random.whole(16, 50)];
      later(() => this.#pane.resize(columns, rows));
    }
  }

  /** Does what a person does who sees that the agent is not ready. */
  async helpAlong(): Promise<void> {
    const { control } = this.#pane;
    if (this.#crashed) return this.#restart();
    const status = (await control.send('status').catch(() => undefined)) as Status | undefined;
    // Otherwise the prompt would be retried for ever.
    if (!status && !this.#crashed) throw new Error('the agent has ended although the test did not crash it');
    if (status?.state === 'dialog') await control.send('close-dialog').catch(() => {});
    else if (status && status.draft.bytes > 0 && this.#pending.length === 0) {
      const line = this.#storm.personLines.at(-1);
      if ((status.draft as { text?: string }).text === line) await this.#personEnters();
    }
  }

  async after(): Promise<void> {
    await Promise.all(this.#pending);
    if (this.#crashed) await this.#restart();
    const status = (await this.#pane.control.send('status')) as Status & { draft: { text: string } };
    if (status.draft.text !== '' && status.draft.text === this.#storm.personLines.at(-1)) {
      if (status.state === 'dialog') await this.#pane.control.send('close-dialog');
      const { mark } = this.#pane.control;
      await this.#personEnters();
      await this.#pane.control.event('draft', ({ empty }) => empty === true, mark);
    }
    if (this.#resized) await this.#pane.resize(100, 30);
  }

  /** Presses Enter a moment after the last letter, like people: some skins take a quick Enter as part of a paste. */
  async #personEnters(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 200));
    await this.#pane.press('Enter');
  }

  async #crash(): Promise<void> {
    this.#crashed = true;
    // It may end before it responds.
    await this.#pane.control.send('crash-to-shell').catch(() => {});
    await this.#pane.control.closed;
  }

  async #restart(): Promise<void> {
    this.#crashed = false;
    this.#storm.shells.push(await this.#pane.shellScreen());
    await this.#pane.restart();
  }
}
