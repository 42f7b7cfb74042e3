import type { Command } from './command.ts';
import notifier from './gateway-mail-notifier.ts';
import { PROMPT, SEND_KEYS } from './gateway-prompt.ts';
import reconcile from './gateway-reconcile.ts';
import reminders from './gateway-reminders.ts';
import requests, { INTERRUPT } from './gateway-requests.ts';
import tui from './gateway-tui.ts';

/** What can be asked of a live gateway. */
export const LIVE_GATEWAY_COMMANDS: Command[] = [
  PROMPT,
  INTERRUPT,
  SEND_KEYS,
  requests,
  reconcile,
  tui,
  notifier,
  reminders,
];
