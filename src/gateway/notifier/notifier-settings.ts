import { type Clock, type Log, type LoopTrouble, messageOf, utcStamp } from '../../base/index.ts';
import { type MailNotifierBody, type MailNotifierStatus, refusal } from '../../wire/index.ts';
import type { MailAccess } from '../mail/index.ts';
import type { NotifierRecord, NotifierStore } from './notifier-store.ts';
import type { WakeTemplate } from './wake-template.ts';

interface SettingsDependencies {
  store: NotifierStore;
  mail: MailAccess;
  clock: Clock;
  log: Log;
  prompt: (mode: NotifierRecord['mode']) => WakeTemplate;
  trouble?: () => LoopTrouble | undefined;
  /** Why open mail is not announced now, if it is not. */
  heldBack: () => string | null;
  nextLookInMs: () => number | null;
  enabled: () => void;
  disabled: () => void;
}

export type NotifierSettings = ReturnType<typeof notifierSettings>;

/** Whether and how the agent is woken: what is set, and how it stands. */
export function notifierSettings(on: SettingsDependencies) {
  const { store, clock, log } = on;

  /** What is wrong now: with the loop, with the last look, or with what would be typed. */
  function lastError(record: NotifierRecord): string | null {
    const trouble = on.trouble?.();
    if (trouble) return `the notifier fails: ${trouble.message}`;
    if (record.last_error !== null) return record.last_error;
    try {
      return on.prompt(record.mode).problem;
    } catch (error) {
      return messageOf(error);
    }
  }

  async function support(): Promise<string | null> {
    try {
      await on.mail.mailbox();
      return null;
    } catch (error) {
      return messageOf(error);
    }
  }

  async function status(): Promise<MailNotifierStatus> {
    const stored = store.read();
    const { repeats: _repeats, last_notified_digest: _digest, ...record } = stored;
    const problem = await support();
    const next = on.nextLookInMs();
    return {
      schema_version: 1,
      ...record,
      last_error: lastError(stored),
      supported: problem === null,
      support_error: problem,
      held_back: record.enabled ? on.heldBack() : null,
      next_look_at_utc:
        record.enabled && next !== null ? utcStamp(new Date(clock.now().getTime() + next)) : null,
    };
  }

  async function enable(body: MailNotifierBody): Promise<MailNotifierStatus> {
    const problem = await support();
    if (problem) throw refusal('mail_no_binding', `the notifier needs a mailbox: ${problem}`);
    const { interval_seconds, mode, repeat } = body;
    store.change({
      enabled: true,
      interval_seconds,
      mode,
      repeat,
      quiet_hours: body.quiet_hours ?? null,
      wakes_per_hour: body.wakes_per_hour ?? null,
      last_error: null,
    });
    log.info('mail notifier enabled', { interval_seconds, mode, repeat });
    on.enabled();
    return status();
  }

  async function disable(): Promise<MailNotifierStatus> {
    store.change({ enabled: false, interval_seconds: null, last_notified_digest: null, last_error: null });
    log.info('mail notifier disabled');
    on.disabled();
    return status();
  }

  return { status, enable, disable };
}
