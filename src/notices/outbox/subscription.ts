import type { Channel, NeedKind, QuietHours, WebhookFormat } from '../../domain/index.ts';

/** What a person wants to be notified of, and when. */
export interface SubscriptionSettings {
  /** Of requests: only those to this person. Null: all of them. */
  who: string | null;
  /** Null: every kind, also of later versions. */
  kinds: NeedKind[] | null;
  /** Names of agents. Null: every agent. */
  agents: string[] | null;
  quiet_hours: QuietHours | null;
  /** A need must last this long before it is worth a notice. */
  after_seconds: number;
  /** Notify again each time this long, while the need lasts. Null: once. */
  repeat_seconds: number | null;
  /** Whether the notice says what it is about, not only who and which kind. */
  text: boolean;
}

/** A browser that receives Web Push. Its address and keys come from the browser. */
export interface PushDevice {
  endpoint: string;
  p256dh: string;
  auth: string;
  /** Who turned it on, and in which session of the page. */
  person: string;
  session: string;
  /** `Chrome on Android`. */
  name: string;
  since_utc: string;
}

/** Where notices of a channel go. It may hold secrets, so it is only in the private file and never printed. */
export interface ChannelTargets {
  'status-line': Record<string, never>;
  desktop: { env: Record<string, string> };
  'web-push': { subject: string; device: PushDevice | null };
  webhook: { url: string; format: WebhookFormat; secret: string; chat?: string | undefined };
  email: { to: string; from: string; smtp_url: string };
}

export type Target<C extends Channel = Channel> = { [Each in C]: ChannelTargets[Each] }[C];

export interface Subscription<C extends Channel = Channel> extends SubscriptionSettings {
  id: number;
  channel: C;
  target: Target<C>;
  created_at_utc: string;
  removed_at_utc: string | null;
  /** Since when and why its notices cannot be sent. */
  failing_since_utc: string | null;
  failure: string | null;
}

export const SUBSCRIPTION_DEFAULTS: SubscriptionSettings = {
  who: null,
  kinds: null,
  agents: null,
  quiet_hours: null,
  after_seconds: 30,
  repeat_seconds: null,
  text: false,
};

/** Web Push goes nowhere before a browser turns it on, and after the browser has ended it. */
export const hasTarget = ({ channel, target }: Pick<Subscription, 'channel' | 'target'>): boolean =>
  channel !== 'web-push' || (target as ChannelTargets['web-push']).device !== null;
