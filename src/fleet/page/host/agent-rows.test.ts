import { expect, it } from 'vitest';
import { codesOf, WORKSPACE_STATUSES, type WorkspaceStatus } from '../../../domain/index.ts';
import { remoteRow } from './agent-rows.ts';
import type { FleetAgent } from './fleet-facts.ts';

const NOW = new Date('2026-01-02T12:00:00Z');

const far = (status: WorkspaceStatus): FleetAgent => ({
  ...{ workspaceId: 'w', agentId: 'a', name: 'ana', tool: 'claude', host: 'far' },
  ...{ status, statusSince: NOW, currentTask: null, activeTasks: 0, queueDepth: 0, owes: 0, owed: 0 },
});

it('the gateway of an agent on another host is alive on the page in each status in which it accepts calls', () => {
  const alive = codesOf(WORKSPACE_STATUSES).filter((status) => remoteRow(far(status), NOW).gateway.alive);
  expect(alive).toEqual(['online', 'degraded', 'paused']);
});

it('an agent on another host is shown with its status in words', () => {
  expect(remoteRow(far('awaiting_agent'), NOW).state_words).toBe('awaiting agent');
  expect(remoteRow({ ...far('online'), activeTasks: 1 }, NOW).state_words).toBe('online, working');
});
