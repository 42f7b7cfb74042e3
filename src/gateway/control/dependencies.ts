import type { Clock } from '../../base/index.ts';
import type { BackendKind } from '../../domain/index.ts';
import type { AgentSurface, Hold } from '../../terminal/index.ts';
import type { ExecutionSlot } from '../dispatch/index.ts';
import type { EventLog } from '../files/index.ts';
import type { Presence } from '../presence/index.ts';
import type { InstanceStore, RequestQueue } from '../queue/index.ts';

export interface ControlDependencies {
  backend: BackendKind;
  surface: AgentSurface;
  queue: RequestQueue;
  slot: ExecutionSlot;
  /** A person's pause of the agent. */
  hold: Pick<Hold, 'reason'>;
  presence: Presence;
  instances: InstanceStore;
  events: EventLog;
  clock: Clock;
}

export const RECONCILE_HINT =
  'the agent was restarted and earlier requests are undecided; run "rouse agents gateway reconcile"';
