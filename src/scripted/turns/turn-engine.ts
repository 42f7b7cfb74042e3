import { type Clock, sleep } from '../../base/index.ts';
import { noncesOf, type Plan, type PlanDefaults, planOf } from '../control/directives.ts';
import type { Journal } from '../control/journal.ts';
import { fingerprint } from '../fingerprint.ts';
import type { How } from '../tui/composer.ts';
import type { DialogRequest } from '../tui/dialog.ts';

export type Outcome = 'completed' | 'interrupted' | 'denied' | 'failed';
export type ProcessEnd = { kind: 'exit'; code: number } | { kind: 'crash'; dirty: boolean; code: number };

export interface Prompt {
  id: string;
  text: string;
  /** As the composer showed it. */
  shown: string;
  how: How;
}

export interface Turn {
  id: string;
  prompts: Prompt[];
  startedAt: number;
  /** The answer so far. */
  answer: string;
  plan: Plan;
  abort: AbortController;
}

/** What a turn needs from the program it runs in. */
export interface TurnHost {
  /** Asks the person. Resolves with `aborted` if the turn ends first. */
  ask(request: DialogRequest, signal: AbortSignal): Promise<string>;
  /** Handles mail and requests if the prompt asks for it; resolves with a summary. */
  mail(prompt: string, turnId: string, signal: AbortSignal): Promise<string | undefined>;
  began(turn: Turn, prompt: Prompt): void;
  finished(turn: Turn, outcome: Outcome, remark: string | undefined): void;
  end(ending: ProcessEnd): void;
  changed(): void;
}

export interface EngineParts {
  clock: Clock;
  journal: Journal;
  host: TurnHost;
  defaults: PlanDefaults;
  /** Makes the ids of this process different from those of an earlier one. */
  life: string;
}

/** Runs one turn at a time. Prompts that arrive during a turn are queued or join it. */
export class TurnEngine {
  current: Turn | undefined;
  readonly queue: { prompt: Prompt; turnId: string }[] = [];
  #parts: EngineParts;
  #turns = 0;
  #prompts = 0;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  /** A prompt was received. Tests compare everything else with this record. */
  submit(text: string, shown: string, how: How, whileBusy: 'queue' | 'steer'): 'turn' | 'queued' | 'steered' {
    const prompt: Prompt = { id: `p-${this.#parts.life}-${++this.#prompts}`, text, shown, how };
    const running = this.current;
    const taken = running === undefined ? 'turn' : whileBusy === 'queue' ? 'queued' : 'steered';
    const turnId = running && taken === 'steered' ? running.id : this.#nextTurnId();
    this.#parts.journal.record('submitted', {
      prompt_id: prompt.id,
      turn_id: turnId,
      how,
      taken,
      nonces: noncesOf(text),
      ...fingerprint(text),
      text,
    });
    if (running && taken === 'steered') {
      running.prompts.push(prompt);
      this.#parts.host.began(running, prompt);
    } else if (taken === 'queued') this.queue.push({ prompt, turnId });
    else this.#start(turnId, prompt, planOf(text, this.#parts.defaults));
    return taken;
  }

  /** Work without a prompt, as when a tool compacts or updates itself. */
  work(ms: number): boolean {
    if (this.current) return false;
    const plan = planOf('', { ...this.#parts.defaults, turnMs: ms, words: 0 });
    this.#start(this.#nextTurnId(), undefined, { ...plan, delayMs: ms, say: '' });
    return true;
  }

  interrupt(by: string): Turn | undefined {
    const turn = this.current;
    if (!turn || turn.abort.signal.aborted) return undefined;
    this.#parts.journal.record('interrupted', { turn_id: turn.id, by });
    turn.abort.abort();
    return turn;
  }

  /** The program has ended: stops the turn and drops the queue. */
  abandon(): void {
    this.queue.length = 0;
    this.current?.abort.abort();
  }

  #nextTurnId(): string {
    return `t-${this.#parts.life}-${++this.#turns}`;
  }

  #start(id: string, prompt: Prompt | undefined, plan: Plan): void {
    const { clock, journal, host } = this.#parts;
    const prompts = prompt ? [prompt] : [];
    const turn: Turn = {
      id,
      prompts,
      startedAt: clock.monotonic(),
      answer: '',
      plan,
      abort: new AbortController(),
    };
    this.current = turn;
    journal.record('turn_started', { turn_id: id, prompt_ids: prompts.map((each) => each.id) });
    if (prompt) host.began(turn, prompt);
    this.#play(turn).then(
      (end) => this.#finish(turn, end.outcome, end.remark),
      (error: unknown) => this.#finish(turn, 'failed', String(error)),
    );
  }

  async #play(turn: Turn): Promise<{ outcome: Outcome; remark?: string }> {
    const { clock, host } = this.#parts;
    const { plan } = turn;
    const { signal } = turn.abort;
    await sleep(clock, plan.delayMs, signal);
    const mail = signal.aborted ? undefined : await host.mail(turn.prompts[0]?.text ?? '', turn.id, signal);
    if (!(await this.#askAll(turn))) return { outcome: signal.aborted ? 'interrupted' : 'denied' };
    if (signal.aborted) return { outcome: 'interrupted' };
    if (plan.ending.kind === 'hang') await aborted(signal);
    if (plan.ending.kind === 'crash') return this.#gone({ kind: 'crash', dirty: plan.ending.dirty, code: 1 });
    if (plan.ending.kind === 'exit') return this.#gone({ kind: 'exit', code: plan.ending.code });
    if (plan.fails !== undefined) return { outcome: 'failed', remark: plan.fails };
    await this.#stream(turn, mail);
    return { outcome: signal.aborted ? 'interrupted' : 'completed' };
  }

  /** The program ends inside the turn: it never finishes, and nothing may be recorded as if it had. */
  #gone(ending: ProcessEnd): Promise<never> {
    this.#parts.host.end(ending);
    return new Promise(() => {});
  }

  /** Every question of the plan in turn; false as soon as one is refused. */
  async #askAll(turn: Turn): Promise<boolean> {
    const { host, journal } = this.#parts;
    for (const kind of turn.plan.dialogs) {
      const answer = await host.ask({ kind }, turn.abort.signal);
      if (answer === 'no' || answer === 'aborted') return false;
    }
    for (const command of turn.plan.shell) {
      const answer = await host.ask({ kind: 'permission', detail: command }, turn.abort.signal);
      if (answer === 'no' || answer === 'aborted') return false;
      journal.record('shell_command', { turn_id: turn.id, command, asked: true, ran: false });
    }
    return true;
  }

  async #stream(turn: Turn, mail: string | undefined): Promise<void> {
    const { clock, host } = this.#parts;
    const { plan } = turn;
    const { signal } = turn.abort;
    const full = plan.say ?? mail ?? answerOf(turn, plan.words);
    const words = full.split(' ');
    const span = plan.turnMs - plan.delayMs;
    const from = clock.monotonic();
    for (let spent = 0; !signal.aborted; spent = clock.monotonic() - from) {
      const count = spent >= span ? words.length : Math.floor((words.length * spent) / span);
      if (plan.words > 0 || spent >= span) turn.answer = words.slice(0, count).join(' ');
      host.changed();
      if (spent >= span) return;
      await sleep(clock, Math.min(50, span - spent), signal);
    }
  }

  #finish(turn: Turn, outcome: Outcome, remark: string | undefined): void {
    const { clock, journal, host } = this.#parts;
    this.current = undefined;
    const spent = Math.round(clock.monotonic() - turn.startedAt);
    const promptIds = turn.prompts.map((prompt) => prompt.id);
    journal.record('turn_finished', { turn_id: turn.id, prompt_ids: promptIds, outcome, duration_ms: spent });
    host.finished(turn, outcome, remark);
    const next = this.queue.shift();
    if (next) this.#start(next.turnId, next.prompt, planOf(next.prompt.text, this.#parts.defaults));
    else host.changed();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function answerOf(turn: Turn, words: number): string {
  if (words > 0) return Array.from({ length: words }, (_, index) => `word${index + 1}`).join(' ');
  return turn.prompts
    .map((prompt) => {
      const { bytes, sha256 } = fingerprint(prompt.text);
      return `Received ${bytes} bytes, sha256 ${sha256.slice(0, 12)}.`;
    })
    .join('\n');
}
