import type { Outbox } from '../outbox/outbox.ts';
import type { ChannelTargets, PushDevice, Subscription } from '../outbox/subscription.ts';

type PushSubscription = Subscription<'web-push'>;

const pushSubscriptions = (outbox: Outbox): PushSubscription[] =>
  outbox.subscriptions().filter((each): each is PushSubscription => each.channel === 'web-push');

export interface PushDevices {
  /** Those of this person. */
  own: { id: number; device: PushDevice }[];
  /** Whether one more browser of theirs may be added. */
  isFree: boolean;
}

/** The owner adds the subscriptions; each receives one browser, so browsers cannot add up without bound. */
export function devicesOf(outbox: Outbox, person: string): PushDevices {
  const all = pushSubscriptions(outbox);
  return {
    own: all.flatMap(({ id, target: { device } }) => (device?.person === person ? [{ id, device }] : [])),
    isFree: all.some((each) => isFreeFor(each, person)),
  };
}

const isFreeFor = ({ who, target }: PushSubscription, person: string): boolean =>
  target.device === null && (who === null || who === person);

/**
 * Lets a browser receive the notices of the first subscription that waits for one. A browser that is known keeps its
 * subscription. Undefined if none waits.
 */
export function addDevice(outbox: Outbox, device: PushDevice): number | undefined {
  return outbox.db.transaction(() => {
    const all = pushSubscriptions(outbox);
    const found =
      all.find(
        ({ target }) => target.device?.endpoint === device.endpoint && target.device.person === device.person,
      ) ?? all.find((each) => isFreeFor(each, device.person));
    if (!found || !outbox.retarget(found, { ...found.target, device })) return undefined;
    outbox.reportFailure(found.id, null);
    return found.id;
  });
}

/** Ends what these browsers receive; their subscriptions wait for others. Returns how many there were. */
export function removeDevices(outbox: Outbox, isMeant: (device: PushDevice, id: number) => boolean): number {
  return outbox.db.transaction(
    () =>
      pushSubscriptions(outbox).filter(
        (each) =>
          each.target.device !== null &&
          isMeant(each.target.device, each.id) &&
          outbox.retarget(each, { ...each.target, device: null }),
      ).length,
  );
}

/** The push service says that the browser has ended it. One that was turned on again in the meantime stays. */
export function forgetDevice(outbox: Outbox, subscription: Subscription): void {
  if (subscription.channel !== 'web-push') return;
  outbox.retarget(subscription, { ...(subscription.target as ChannelTargets['web-push']), device: null });
}
