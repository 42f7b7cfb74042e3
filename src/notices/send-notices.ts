import {
  type Clock,
  crashPoint,
  type Log,
  Loop,
  messageOf,
  newUuid,
  sleep,
  untilWall,
  utcStamp,
} from '../base/index.ts';
import { CHANNELS } from '../domain/index.ts';
import { type Notice, type SendingFailed, TargetGone } from './channels/channel.ts';
import { noticeOf } from './channels/notice-text.ts';
import { senderOf } from './channels/senders.ts';
import { againDueMs, firstDueMs, retryAfterMs } from './outbox/due-time.ts';
import type { OpenNotice, Outbox } from './outbox/outbox.ts';
import { hasTarget, type Subscription } from './outbox/subscription.ts';
import { forgetDevice } from './push/push-devices.ts';

/** A notice that cannot be taken back after this many tries, which take about a day, is left. */
const MAX_TAKE_BACKS = 33;

export interface SendingParts {
  outbox: Outbox;
  owner: string;
  directory: string;
  clock: Clock;
  log: Log;
}

/**
 * Sends the notices of one subscription, one at a time, so that a slow receiver delays no other. The loop sleeps until
 * the next one is due, or for ever.
 */
export function sendingLoop(parts: SendingParts, id: number): Loop {
  return new Loop({
    name: `notices-${id}`,
    clock: parts.clock,
    pass: (signal) => sendingPass(parts, id, signal),
    onTrouble: (trouble) => {
      if (trouble) parts.log.warn('notices cannot be sent', { subscription: id, cause: trouble.message });
    },
  });
}

export async function sendingPass(
  parts: SendingParts,
  id: number,
  signal: AbortSignal,
): Promise<number | 'idle'> {
  const { outbox, clock, owner } = parts;
  const subscription = outbox.subscription(id);
  if (!subscription) return 'idle';
  if (subscription.removed_at_utc !== null) outbox.endRemoved(id, owner);
  if (!hasTarget(subscription)) {
    outbox.endUnreachable(id, owner);
    return 'idle';
  }
  outbox.rebase();
  const nowMs = clock.now().getTime();
  const waiting = outbox
    .open(id, owner)
    .map((each) => ({ ...each, dueMs: dueMs(subscription, each, nowMs) }));
  const due = waiting.find((each) => each.dueMs !== null && each.dueMs <= nowMs);
  if (due) {
    await tryOne(parts, subscription, due, signal);
    return 0;
  }
  const next = waiting.flatMap((each) => each.dueMs ?? []);
  return next.length === 0 ? 'idle' : untilWall(clock, Math.min(...next));
}

/** When the next step of this notice is due; null: nothing is left to do for now. */
function dueMs(subscription: Subscription, { notice, need }: OpenNotice, nowMs: number): number | null {
  const { state, next_try_at_ms, sent_at_ms } = notice;
  // A later try than any pause allows comes from a clock that was set back.
  const retry =
    next_try_at_ms === null ? nowMs : Math.min(next_try_at_ms, nowMs + retryAfterMs(notice.tries));
  if (state === 'ending') return retry;
  if (need.over_at_ms !== null) return null;
  if (state === 'waiting') return Math.max(retry, firstDueMs(subscription, need, nowMs));
  const again = againDueMs(subscription, sent_at_ms ?? nowMs, nowMs);
  return again === null ? null : Math.max(retry, again);
}

async function tryOne(
  parts: SendingParts,
  subscription: Subscription,
  { notice, need }: OpenNotice,
  signal: AbortSignal,
): Promise<void> {
  const { outbox, directory, clock } = parts;
  if (!outbox.begin(notice.id)) return;
  crashPoint('notices.tried');
  const shown = noticeOf(need, notice, subscription.text);
  const isEnding = notice.state === 'ending';
  try {
    const sender = await senderOf(subscription.channel);
    const sending = {
      target: subscription.target,
      notice: shown,
      receipt: notice.receipt,
      onShow: () => onShow(outbox, subscription, isEnding ? null : notice.id),
      directory,
      now: clock.now(),
      signal,
    };
    let receipt: string | null = null;
    if (isEnding) await sender.takeBack(sending);
    else receipt = await sender.send(sending);
    crashPoint('notices.sent');
    outbox.done(notice.id, receipt);
    outbox.reportFailure(subscription.id, null);
  } catch (error) {
    if (signal.aborted) return;
    const tries = notice.tries + 1;
    const { retryAfterMs: asked } = error as Partial<SendingFailed>;
    const retryAtMs =
      isEnding && tries >= MAX_TAKE_BACKS
        ? null
        : clock.now().getTime() + Math.max(asked ?? 0, retryAfterMs(tries));
    outbox.failed(notice.id, { detail: messageOf(error), retryAtMs });
    outbox.reportFailure(subscription.id, messageOf(error));
    if (error instanceof TargetGone) forgetDevice(outbox, subscription);
  }
}

/** What the person should see now: what was sent and is not over, and the one that is being sent. */
function onShow(outbox: Outbox, { id, text }: Subscription, sendingId: number | null): Notice[] {
  return outbox
    .open(id)
    .filter(
      ({ notice, need }) => need.over_at_ms === null && (notice.state === 'sent' || notice.id === sendingId),
    )
    .map(({ notice, need }) => noticeOf(need, notice, text));
}

const TEST_SHOWN_MS = 5000;

/** Sends a notice that is about nothing, so that a person sees whether the channel works. A level shows it for a moment. */
export async function sendTest(
  subscription: Subscription,
  on: { outbox: Outbox; directory: string; clock: Clock; signal: AbortSignal },
): Promise<void> {
  const { outbox, directory, clock, signal } = on;
  const notice: Notice = {
    uid: newUuid(),
    kind: 'other',
    agent: null,
    title: 'A test of your notices',
    text: null,
    command: null,
    href: null,
    sinceUtc: utcStamp(clock.now()),
    sendings: 0,
  };
  const { channel, target } = subscription;
  const sender = await senderOf(channel);
  const sending = { target, notice, receipt: null, directory, now: clock.now(), signal };
  await sender.send({ ...sending, onShow: () => [notice] });
  if (!CHANNELS[channel].isLevel) return;
  await sleep(clock, TEST_SHOWN_MS, signal);
  await sender.takeBack({ ...sending, onShow: () => onShow(outbox, subscription, null) });
}
