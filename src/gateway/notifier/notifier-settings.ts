import { type Clock, type Log, type LoopTrouble, messageOf, utcStamp } from '../../base/index.ts';
import { type MailNotifierBody, type MailNotifierStatus, refusal } from '../../wire/index.ts';
import type { MailAccess } from '../mail/index.ts';
import type { PausedThread } from './loops/find-loops.ts';
import type { NotifierRecord, NotifierStore } from './notifier-store.ts';
import type { WakeTemplate, WakeWanted } from './wake-template.ts';

interface SettingsDependencies {
  store: NotifierStore;
  mail: MailAccess;
  clock: Clock;
  log: Log;
  prompt: (wanted: WakeWanted) => WakeTemplate;
  trouble?: () => LoopTrouble | undefined;
  /** Why open mail is not announced now; null if it is. */
  heldBack: () => string | null;
  /** Threads that wake no one until a person has looked at them. */
  paused: () => PausedThread[];
  nextLookInMs: () => number | null;
  enabled: () => void;
  disabled: () => void;
}

/** Whether and how the agent is woken: the settings and the current state. */
export class NotifierSettings {
  readonly #deps: SettingsDependencies;

  constructor(deps: SettingsDependencies) {
    this.#deps = deps;
  }

  async status(): Promise<MailNotifierStatus> {
    const { store, clock, heldBack, nextLookInMs } = this.#deps;
    const paused = this.#deps.paused();
    const stored = store.read();
    const { repeats: _repeats, last_notified_digest: _digest, ...record } = stored;
    const problem = await this.#support();
    const next = nextLookInMs();
    // Another program turned it on in storage, and no loop runs yet that would have noticed.
    if (record.enabled && next === null) this.#deps.enabled();
    return {
      schema_version: 1,
      ...record,
      interval_seconds: record.enabled ? record.interval_seconds : null,
      last_error: this.#lastError(stored),
      supported: problem === null,
      support_error: problem,
      ...(paused.length > 0 && { paused_threads: paused }),
      held_back: record.enabled ? heldBack() : null,
      next_look_at_utc:
        record.enabled && next !== null ? utcStamp(new Date(clock.now().getTime() + next)) : null,
    };
  }

  async enable(body: MailNotifierBody): Promise<MailNotifierStatus> {
    const problem = await this.#support();
    if (problem) throw refusal('mail_no_binding', `the notifier needs a mailbox: ${problem}`);
    const { schema_version: _, ...settings } = body;
    this.#deps.store.change({ ...settings, enabled: true, last_error: null });
    const { interval_seconds, mode, repeat } = this.#deps.store.read();
    this.#deps.log.info('mail notifier enabled', { interval_seconds, mode, repeat });
    this.#deps.enabled();
    return this.status();
  }

  /**
   * The interval stays in storage, so that people can be shown the command that turns wakes on again; the status has
   * null.
   */
  async disable(): Promise<MailNotifierStatus> {
    const { store, log, disabled } = this.#deps;
    store.change({ enabled: false, last_notified_digest: null, last_error: null });
    log.info('mail notifier disabled');
    disabled();
    return this.status();
  }

  /** The current trouble: with the loop, the last look, or the prompt. */
  #lastError(record: NotifierRecord): string | null {
    const trouble = this.#deps.trouble?.();
    if (trouble) return `the notifier fails: ${trouble.message}`;
    if (record.last_error !== null) return record.last_error;
    try {
      return this.#deps.prompt({ ...record, senders: [] }).problem;
    } catch (error) {
      return messageOf(error);
    }
  }

  async #support(): Promise<string | null> {
    try {
      await this.#deps.mail.mailbox();
      return null;
    } catch (error) {
      return messageOf(error);
    }
  }
}
