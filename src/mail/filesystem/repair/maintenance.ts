/** What cleanup and clearing did or would do. */
export interface MaintenanceAction {
  artifact_kind:
    | 'active_registration'
    | 'mailbox_registration'
    | 'canonical_messages'
    | 'mailbox_projection'
    | 'mailbox_local_state'
    | 'managed_attachment'
    | 'path_ref_attachment';
  path: string;
  proposed_action: 'remove' | 'keep';
  reason: string;
  details?: Record<string, unknown>;
}

export interface MaintenanceReport {
  dry_run: boolean;
  scope: Record<string, unknown>;
  resolution: { authority: 'index' };
  planned_actions: MaintenanceAction[];
  applied_actions: MaintenanceAction[];
  blocked_actions: MaintenanceAction[];
  preserved_actions: MaintenanceAction[];
  summary: { planned_count: number; applied_count: number; blocked_count: number; preserved_count: number };
}

export function maintenanceReport(
  scope: Record<string, unknown>,
  parts: {
    dryRun: boolean;
    planned: MaintenanceAction[];
    applied?: MaintenanceAction[];
    blocked?: MaintenanceAction[];
    preserved?: MaintenanceAction[];
  },
): MaintenanceReport {
  const { dryRun, planned, applied = [], blocked = [], preserved = [] } = parts;
  return {
    dry_run: dryRun,
    scope,
    resolution: { authority: 'index' },
    planned_actions: planned,
    applied_actions: applied,
    blocked_actions: blocked,
    preserved_actions: preserved,
    summary: {
      planned_count: planned.length,
      applied_count: applied.length,
      blocked_count: blocked.length,
      preserved_count: preserved.length,
    },
  };
}
