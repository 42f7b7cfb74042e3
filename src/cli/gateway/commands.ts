import type { Command } from '../command.ts';
import notifier from './mail-notifier.ts';
import { PROMPT, SEND_KEYS } from './prompt.ts';
import reconcile from './reconcile.ts';
import reminders from './reminders.ts';
import requests, { INTERRUPT } from './requests.ts';
import tui from './tui.ts';

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
