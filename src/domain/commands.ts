import { commandLine } from '../base/index.ts';
import { USUAL_WAKES } from './settings/wake-settings.ts';
import type { NotifierMode } from './words/wake-policies.ts';

/** The command that brings an agent back, with its conversation and the gateway it had. */
export function relaunchCommand(agentName: string | null | undefined): string {
  return commandLine`rouse agents relaunch ${agentName || 'NAME'} --resume`;
}

/** How an agent was woken before its wakes were turned off; null if unknown. */
export interface FormerWakes {
  interval_seconds: number | null;
  mode?: NotifierMode | undefined;
}

/** The command that turns wakes on as they were. Flags whose omission keeps a setting are left out. */
export function enableCommand(agentName: string, { interval_seconds: interval, mode }: FormerWakes): string {
  return [
    commandLine`rouse agents gateway mail-notifier enable ${agentName} --interval-seconds ${interval ?? USUAL_WAKES.interval_seconds}`,
    ...(mode === 'unread_only' ? ['--mode unread_only'] : []),
    ...(interval === null ? [`--repeat ${USUAL_WAKES.repeat}`] : []),
  ].join(' ');
}

/** The command that the hint or message of an error names in quotes. */
export const commandIn = (text: string): string | undefined => /"(rouse [^"]+)"/.exec(text)?.[1];
