import { type CodeOf, codesWith } from './table.ts';

interface StatusRow {
  /** Sent a heartbeat lately, so messages go to it. */
  alive: boolean;
  /** Its gateway accepts calls and mail. */
  answers: boolean;
  /** Neither paused nor removed, so an operator may pause it. */
  goesOn: boolean;
  /** An operator may resume it. */
  rests: boolean;
  /** A heartbeat makes it online. The others are set by people and policies, or are online already. */
  comesOnline: boolean;
  /** Offline once its gateway has reported that it leaves. */
  leaves: boolean;
}

const awaited = {
  alive: false,
  answers: false,
  goesOn: true,
  rests: false,
  comesOnline: true,
  leaves: true,
} as const;
const alive = {
  alive: true,
  answers: true,
  goesOn: true,
  rests: false,
  comesOnline: false,
  leaves: true,
} as const;
const asleep = { ...awaited, rests: true, comesOnline: false, leaves: false } as const;

/** The status of an agent of the fleet. There is no `busy`: that is `active_tasks` above zero. */
export const WORKSPACE_STATUSES = {
  provisioning: awaited,
  online: alive,
  offline: { ...awaited, leaves: false },
  degraded: alive,
  failed: { ...awaited, leaves: false },
  removed: { ...asleep, goesOn: false, rests: false },
  paused: { ...asleep, answers: true, goesOn: false },
  hibernating: asleep,
  hibernated: asleep,
  awaiting_agent: awaited,
} as const satisfies Record<string, StatusRow>;

export type WorkspaceStatus = CodeOf<typeof WORKSPACE_STATUSES>;

export const ALIVE_WORKSPACES = codesWith(WORKSPACE_STATUSES, 'alive');
