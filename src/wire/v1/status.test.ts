import { expect, it } from 'vitest';
import { offlineStatus } from '../../domain/index.ts';
import { parseBody } from '../parse-body.ts';
import { gatewayStatus } from './status.ts';

const identity = { attachIdentity: 'id', backend: 'local_interactive', tmuxSessionName: 'HOUMAO-gpu-1' };
const offline = {
  schema_version: 1,
  protocol_version: 'v1',
  ...offlineStatus({ ...identity, executionMode: 'tmux_auxiliary_window', queueDepth: 0, epoch: 0 }),
};
const detached = {
  ...offline,
  gateway_health: 'healthy',
  execution_mode: 'detached_process',
  gateway_host: '127.0.0.1',
  gateway_port: 4711,
  managed_agent_instance_epoch: 1,
};
const windowed = {
  ...detached,
  execution_mode: 'tmux_auxiliary_window',
  gateway_tmux_window_id: '@1',
  gateway_tmux_window_index: '1',
  gateway_tmux_pane_id: '%2',
};

it.each([
  ['the seeded offline snapshot', offline],
  ['a live detached gateway', detached],
  ['a live gateway in a window', windowed],
  ['a live gateway in a window whose pane is not recorded', { ...windowed, gateway_tmux_pane_id: null }],
])('a gateway status of %s is valid', (_title, status) => {
  expect(parseBody(gatewayStatus, status)).toEqual(status);
});

it.each([
  [{ ...detached, gateway_host: null }, 'gateway_host is required when gateway_health is healthy'],
  [{ ...detached, gateway_port: null }, 'gateway_port is required when gateway_health is healthy'],
  [{ ...offline, gateway_host: '127.0.0.1' }, 'gateway_host must be null unless gateway_health is healthy'],
  [{ ...offline, gateway_port: 1 }, 'gateway_port must be null unless gateway_health is healthy'],
  [{ ...detached, gateway_host: 'localhost' }, 'gateway_host must be one of "127.0.0.1", "0.0.0.0"'],
  [{ ...detached, gateway_port: 65_536 }, 'gateway_port must be <= 65535'],
  [
    { ...detached, gateway_tmux_window_id: '@1' },
    'gateway_tmux_window_id must be null when the execution mode is detached_process',
  ],
  [
    { ...windowed, gateway_tmux_window_id: null },
    'gateway_tmux_window_id is required when the execution mode is tmux_auxiliary_window',
  ],
  [{ ...windowed, gateway_tmux_window_index: null }, 'gateway_tmux_window_index is required'],
  [
    { ...windowed, gateway_tmux_window_index: '0' },
    'gateway_tmux_window_index must not be "0": window 0 is the agent',
  ],
  [
    { ...detached, managed_agent_instance_epoch: 0 },
    'managed_agent_instance_epoch must be >= 1 when gateway_health is healthy',
  ],
  [{ ...detached, queue_depth: -1 }, 'queue_depth must be >= 0'],
  [
    { ...detached, request_admission: 'closed' },
    'request_admission must be one of "open", "blocked_unavailable", "blocked_reconciliation"',
  ],
  [{ ...detached, protocol_version: 'v2' }, 'protocol_version must be "v1"'],
  [{ ...detached, schema_version: 2 }, 'schema_version must be 1'],
])('a gateway status with %j is refused', (status, message) => {
  expect(() => parseBody(gatewayStatus, status)).toThrow(message);
});
