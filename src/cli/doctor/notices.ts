import { commandLine, messageOf } from '../../base/index.ts';
import { CHANNELS, type Channel } from '../../domain/index.ts';
import type { Subscription } from '../../notices/index.ts';
import { noticesDirectory, withOutbox } from '../notify/outbox.ts';
import { type Check, type Finding, ok, problem, warning } from './check.ts';

/** The channels of notices. Sends nothing. */
export const NOTICE_CHECKS: Check[] = [
  {
    id: 'notices',
    async look(input) {
      const all = (await withOutbox(input, (outbox) => outbox.subscriptions())) ?? [];
      if (all.length === 0) return [ok('notices', 'none; "rouse notify add desktop" adds some')];
      return Promise.all(all.map((each) => checked(each, noticesDirectory(input))));
    },
  },
];

async function checked(subscription: Subscription, directory: string): Promise<Finding> {
  const { id, channel, target, failure, failing_since_utc } = subscription;
  const name = `notices.${id}`;
  const words = CHANNELS[channel as Channel].words;
  const { senderOf } = await import('../../notices/index.ts');
  try {
    const found = await (await senderOf(channel)).check(target, directory);
    if (failure === null) return ok(name, `${words}: ${found}`);
    return warning(
      name,
      `${words}: failing since ${failing_since_utc}: ${failure}`,
      commandLine`rouse notify test ${id}`,
    );
  } catch (error) {
    return problem(
      name,
      `${words}: ${messageOf(error)}`,
      `fix it, or: ${commandLine`rouse notify remove ${id}`}`,
    );
  }
}
