import {
  bareAgentName,
  CHANNELS,
  dayAndTime,
  NEEDS,
  NOTICE_STATES,
  NOTICE_STEPS,
} from '../../domain/index.ts';
import type { NeedRow, NoticeRow, StoredStep, Subscription } from '../../notices/index.ts';
import type { Input, Output } from '../command.ts';
import { withOutbox } from '../notify/outbox.ts';

interface NoticeFacts {
  need: NeedRow;
  notice: NoticeRow;
  subscription: Subscription | undefined;
  steps: StoredStep[];
}

/** What was to be sent, by which channel, and every step of it; newest first. */
export async function whyNotice(
  input: Input,
  { limit, agentName }: { limit: number; agentName?: string | undefined },
): Promise<Output> {
  const agent = agentName === undefined ? undefined : bareAgentName(agentName);
  const shown =
    (await withOutbox(input, (outbox) =>
      outbox.newest(limit, agent).map(({ need, notice }) => ({
        need,
        notice,
        subscription: outbox.subscription(notice.subscription_id),
        steps: outbox.steps(notice.id),
      })),
    )) ?? [];
  return {
    data: { schema_version: 1, notices: shown.map(dataOf) },
    plain:
      shown.length > 0
        ? shown.map(linesOf).join('\n\n')
        : 'No notices: nothing has needed you since you added some.',
  };
}

function dataOf({ need, notice, subscription, steps }: NoticeFacts) {
  return {
    notice_id: notice.uid,
    subscription: notice.subscription_id,
    channel: subscription?.channel ?? null,
    agent: need.agent,
    kind: need.kind,
    state: notice.state,
    need_opened_at_utc: new Date(need.opened_at_ms).toISOString(),
    need_over_at_utc: need.over_at_ms === null ? null : new Date(need.over_at_ms).toISOString(),
    steps,
  };
}

function linesOf({ need, notice, subscription, steps }: NoticeFacts): string {
  const channel = subscription ? CHANNELS[subscription.channel].words : 'a channel that is gone';
  const heading = `${need.agent ?? 'Someone'} ${NEEDS[need.kind]?.notice ?? need.kind}: ${NOTICE_STATES[notice.state].words}, by ${channel} (notices ${notice.subscription_id})`;
  const rows = steps.map(
    ({ step, at_utc, detail }) =>
      `  ${dayAndTime(at_utc)}  ${NOTICE_STEPS[step].words}${detail === null ? '' : `: ${detail}`}`,
  );
  return [heading, ...rows].join('\n');
}
