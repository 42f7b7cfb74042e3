import { commandLine } from '../../base/index.ts';
import { USUAL_WAKES } from '../settings/wake-settings.ts';
import type { NotifierMode } from '../words/wake-policies.ts';

/** How an agent was woken before its wakes were turned off; null where nobody knows. */
export interface FormerWakes {
  interval_seconds: number | null;
  mode?: NotifierMode | undefined;
}

/** The command that turns wakes on as they were: what an omitted flag keeps is left out. */
export function enableCommand(agentName: string, { interval_seconds: interval, mode }: FormerWakes): string {
  return [
    commandLine`rouse agents gateway mail-notifier enable ${agentName} --interval-seconds ${interval ?? USUAL_WAKES.interval_seconds}`,
    ...(mode === 'unread_only' ? ['--mode unread_only'] : []),
    ...(interval === null ? [`--repeat ${USUAL_WAKES.repeat}`] : []),
  ].join(' ');
}
