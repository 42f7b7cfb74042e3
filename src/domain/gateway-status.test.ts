import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tmuxHandleProblems } from './gateway-handle.ts';
import { deriveAdmission, nextEpoch, offlineStatus } from './gateway-status.ts';

it.each([
  ['unavailable', 1, undefined, undefined, 'awaiting_rebind', 'blocked_unavailable'],
  ['unavailable', 5, undefined, undefined, 'awaiting_rebind', 'blocked_unavailable'],
  ['connected', 1, undefined, undefined, 'idle', 'open'],
  ['connected', 2, undefined, undefined, 'reconciliation_required', 'blocked_reconciliation'],
  ['connected', 3, 2, undefined, 'reconciliation_required', 'blocked_reconciliation'],
  ['connected', 3, 3, undefined, 'idle', 'open'],
  ['connected', 1, undefined, false, 'idle', 'blocked_unavailable'],
  ['connected', 1, undefined, true, 'idle', 'open'],
  ['connected', 2, undefined, false, 'reconciliation_required', 'blocked_reconciliation'],
] as const)(
  'an agent %s at epoch %s, reconciled to %s, server accepts %s: recovery %s, admission %s',
  (connectivity, epoch, reconciledEpoch, serverAccepts, recovery, admission) => {
    const facts = {
      connectivity,
      epoch,
      ...(reconciledEpoch === undefined ? {} : { reconciledEpoch }),
      ...(serverAccepts === undefined ? {} : { serverAccepts }),
    };
    expect(deriveAdmission(facts)).toEqual({ recovery, admission });
  },
);

it.each([
  [undefined, undefined, 'a', 1],
  [0, null, 'a', 1],
  [1, 'a', 'a', 1],
  [4, 'a', 'a', 4],
  [4, null, 'b', 4],
  [4, 'a', null, 4],
  [4, 'a', 'b', 5],
  [0, 'a', 'b', 2],
])(
  'epoch %s of instance %s is, seeing %s, now %s',
  (previousEpoch, previousInstanceId, instanceId, epoch) => {
    expect(nextEpoch({ previousEpoch, previousInstanceId, instanceId })).toBe(epoch);
  },
);

it('an epoch never goes back and grows by at most one at a time', () => {
  const id = fc.option(fc.constantFrom('a', 'b', 'c'), { nil: null });
  fc.assert(
    fc.property(fc.nat(1000), id, id, (previousEpoch, previousInstanceId, instanceId) => {
      const epoch = nextEpoch({ previousEpoch, previousInstanceId, instanceId });
      expect(epoch).toBeGreaterThanOrEqual(Math.max(1, previousEpoch));
      expect(epoch).toBeLessThanOrEqual(Math.max(1, previousEpoch) + 1);
    }),
  );
});

it('the seeded offline snapshot is not_attached and carries the epoch over', () => {
  const facts = {
    attachIdentity: 'x',
    backend: 'local_interactive',
    tmuxSessionName: 't',
    queueDepth: 3,
    epoch: 4,
  };
  expect(offlineStatus({ ...facts, executionMode: 'detached_process' })).toMatchObject({
    gateway_health: 'not_attached',
    managed_agent_connectivity: 'unavailable',
    managed_agent_recovery: 'idle',
    request_admission: 'blocked_unavailable',
    terminal_surface_eligibility: 'unknown',
    active_execution: 'idle',
    queue_depth: 3,
    gateway_host: null,
    gateway_port: null,
    managed_agent_instance_epoch: 4,
    managed_agent_instance_id: null,
  });
});

it('a recorded handle fits its mode and is never window 0', () => {
  const names = { windowId: 'w', windowIndex: 'i', paneId: 'p' };
  const required = ['windowId', 'windowIndex', 'paneId'] as const;
  const problems = (mode: 'detached_process' | 'tmux_auxiliary_window', ...parts: (string | null)[]) =>
    tmuxHandleProblems(
      { windowId: parts[0], windowIndex: parts[1], paneId: parts[2] },
      { mode, required: [...required], names },
    ).map((problem) => problem.path[0]);
  expect(problems('detached_process', null, null, null)).toEqual([]);
  expect(problems('detached_process', '@1', '1', '%1')).toEqual(['w', 'i', 'p']);
  expect(problems('tmux_auxiliary_window', '@1', '1', '%1')).toEqual([]);
  expect(problems('tmux_auxiliary_window', '@1', null, null)).toEqual(['i', 'p']);
  expect(problems('tmux_auxiliary_window', '@1', '0', '%1')).toEqual(['i']);
});
