import { commandLine } from '../base/index.ts';

/** The command that brings an agent back, with its conversation and the gateway it had. */
export function relaunchCommand(agentName: string | null | undefined): string {
  return commandLine`rouse agents relaunch ${agentName || 'NAME'} --resume`;
}
