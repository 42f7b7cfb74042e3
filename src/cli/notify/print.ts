import { duration, NEEDS, type NeedKind } from '../../domain/index.ts';
import type { Subscription } from '../../notices/index.ts';
import { shownTarget } from './targets.ts';

/** Without its target, which may be a secret. */
export function subscriptionData({ target, ...rest }: Subscription): Record<string, unknown> {
  const { removed_at_utc: _, ...shown } = rest;
  return { ...shown, to: shownTarget(rest.channel, target) };
}

/** What it is about, in words. */
export function scopeOf({ kinds, agents, who }: Subscription): string {
  return [
    kinds === null ? 'everything' : kinds.map(kindWords).join(', '),
    ...(agents === null ? [] : [`of ${agents.join(', ')}`]),
    ...(who === null ? [] : [`for ${who}`]),
  ].join(' ');
}

const kindWords = (kind: NeedKind): string => (kind in NEEDS ? kind : 'an unknown kind');

export function whenOf({ after_seconds, repeat_seconds, quiet_hours: quiet }: Subscription): string {
  return [
    after_seconds === 0 ? 'at once' : `after ${duration(after_seconds * 1000)}`,
    ...(repeat_seconds === null ? [] : [`again every ${duration(repeat_seconds * 1000)}`]),
    ...(quiet === null ? [] : [`quiet ${quiet.from}-${quiet.to} ${quiet.time_zone}`]),
  ].join(', ');
}
