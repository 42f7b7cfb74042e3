import type { CodeOf } from '../table.ts';

interface ChannelRow {
  /** For people, after "by". */
  words: string;
  /** What `rouse notify add` needs besides the channel. */
  needs: string | null;
  /** Whether a notice that was sent can be removed once it is over. */
  takesBack: boolean;
  /** It shows what is open now, all of it, instead of single notices. */
  isLevel: boolean;
}

/** How a notice reaches a person. */
export const CHANNELS = {
  'status-line': { words: 'the status line of tmux', needs: null, takesBack: true, isLevel: true },
  desktop: { words: 'desktop notification', needs: null, takesBack: true, isLevel: false },
  'web-push': {
    words: 'Web Push',
    needs: 'a browser that turns it on in the settings of the page',
    takesBack: true,
    isLevel: false,
  },
  webhook: { words: 'webhook', needs: 'a URL', takesBack: true, isLevel: false },
  email: { words: 'e-mail', needs: 'an address', takesBack: false, isLevel: false },
} as const satisfies Record<string, ChannelRow>;

export type Channel = CodeOf<typeof CHANNELS>;

/** What the body of a webhook looks like. `standard`: the only one that is signed and reports that a need is over. */
export const WEBHOOK_FORMATS = {
  standard: { words: 'Standard Webhooks, signed' },
  slack: { words: 'an incoming webhook of Slack' },
  discord: { words: 'a webhook of Discord' },
  ntfy: { words: 'a topic of ntfy' },
  telegram: { words: 'a bot of Telegram' },
} as const satisfies Record<string, { words: string }>;

export type WebhookFormat = CodeOf<typeof WEBHOOK_FORMATS>;
