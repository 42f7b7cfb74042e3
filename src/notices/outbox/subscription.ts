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

/** Where notices of a channel go. It may hold secrets, so it is only in the private file and never printed. */
export interface ChannelTargets {
  'status-line': Record<string, never>;
  desktop: { env: Record<string, string> };
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
