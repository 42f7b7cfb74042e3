import { type CodeOf, codesWith } from './table.ts';

interface StatusRow {
  /** Sent a heartbeat lately, so messages go to it. */
  alive: boolean;
  /** Its gateway accepts calls. */
  answers: boolean;
  /** Neither paused nor removed, so an operator may pause it. */
  goesOn: boolean;
  /** An operator may resume it. */
  rests: boolean;
}

/** The status of an agent of the fleet. There is no `busy`: that is `active_tasks` above zero. */
export const WORKSPACE_STATUSES = {
  provisioning: { alive: false, answers: false, goesOn: true, rests: false },
  online: { alive: true, answers: true, goesOn: true, rests: false },
  offline: { alive: false, answers: false, goesOn: true, rests: false },
  degraded: { alive: true, answers: true, goesOn: true, rests: false },
  failed: { alive: false, answers: false, goesOn: true, rests: false },
  removed: { alive: false, answers: false, goesOn: false, rests: false },
  paused: { alive: false, answers: true, goesOn: false, rests: true },
  hibernating: { alive: false, answers: false, goesOn: true, rests: true },
  hibernated: { alive: false, answers: false, goesOn: true, rests: true },
  awaiting_agent: { alive: false, answers: false, goesOn: true, rests: false },
} as const satisfies Record<string, StatusRow>;

export type WorkspaceStatus = CodeOf<typeof WORKSPACE_STATUSES>;

export const ALIVE_WORKSPACES = codesWith(WORKSPACE_STATUSES, 'alive');
