/**
 * Notices: reaches the person who is away from the page: a durable outbox of what needs them, and the channels.
 *
 * Promises  Stored before it is sent; one notice per need and subscription; sent again after a crash under the same id;
 *           never sent once the need is over; taken back where the channel can.
 *           Without a subscription nothing runs, and nothing is written while nothing changes.
 * Never     Decides what needs a person: gateways and the fleet server do. Sends text of an agent unless asked to.
 *           Prints a target: it may be a secret.
 * Errors    A channel that fails is recorded with its reason and retried; it delays no other.
 */
export { desktopTarget } from './channels/desktop.ts';
export { noticeOf } from './channels/notice-text.ts';
export { senderOf } from './channels/senders.ts';
export { statusLineFile } from './channels/status-line.ts';
export { lookAgain, signalsDirectory } from './look-again.ts';
export { HostNeeds } from './needs/host-needs.ts';
export { type NeedSource, NoticeOwner } from './notice-owner.ts';
export type { NeedRow, Seen, SeenNeed } from './outbox/need.ts';
export { type NoticeRow, type OpenNotice, Outbox, type StoredStep } from './outbox/outbox.ts';
export {
  type ChannelTargets,
  type PushDevice,
  SUBSCRIPTION_DEFAULTS,
  type Subscription,
  type SubscriptionSettings,
  type Target,
} from './outbox/subscription.ts';
export { addDevice, devicesOf, removeDevices } from './push/push-devices.ts';
export { ensureVapidKeys, readVapidKeys } from './push/vapid-keys.ts';
export { sendTest } from './send-notices.ts';
export { addWait, openWaits, removeWait, type StoredWait } from './waits/waits.ts';
