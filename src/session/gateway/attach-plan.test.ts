import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveTimings } from '../../domain/index.ts';
import { type AttachOptions, desiredAfter, planAttach } from './attach-plan.ts';

const NO_ENV = { env: {}, statePath: '/s' };

const desired = (port: number, origin: 'explicit' | 'auto') => ({
  schema_version: 1 as const,
  desired_host: '127.0.0.1' as const,
  desired_port: port,
  desired_port_origin: origin,
  desired_execution_mode: 'detached_process' as const,
});

describe('where a gateway will listen', () => {
  const rows: [
    string,
    AttachOptions,
    Record<string, string>,
    ReturnType<typeof desired> | undefined,
    number | undefined,
    [number, string, boolean],
  ][] = [
    [
      'flag before everything',
      { port: 1 },
      { HOUMAO_AGENT_GATEWAY_PORT: '2' },
      desired(3, 'explicit'),
      4,
      [1, 'override', true],
    ],
    [
      'environment before what is stored',
      {},
      { HOUMAO_AGENT_GATEWAY_PORT: '2' },
      desired(3, 'explicit'),
      4,
      [2, 'environment', true],
    ],
    ['stored before bootstrap', {}, {}, desired(3, 'explicit'), 4, [3, 'desired_config', true]],
    ['stored, but only handed out', {}, {}, desired(3, 'auto'), 4, [3, 'desired_config', false]],
    ['bootstrap before the default', {}, {}, undefined, 4, [4, 'bootstrap', true]],
    ['any free port at last', {}, {}, undefined, undefined, [0, 'default', false]],
    [
      'a port inherited from the session itself is a memory',
      {},
      { HOUMAO_AGENT_GATEWAY_PORT: '2', HOUMAO_GATEWAY_STATE_PATH: '/s' },
      undefined,
      undefined,
      [2, 'environment', false],
    ],
  ];
  it.each(rows)('%s', (_, options, env, stored, bootstrap, [port, origin, hard]) => {
    const { listener } = planAttach(options, { env, statePath: '/s' }, stored ?? {}, {
      desired_port: bootstrap,
    });
    expect([listener.port, listener.portOrigin, listener.portIsHard]).toEqual([port, origin, hard]);
  });

  it.each([
    ['a port that is no number', {}, { HOUMAO_AGENT_GATEWAY_PORT: 'x' }],
    ['a port beyond the last', { port: 70_000 }, {}],
    ['a host elsewhere', { host: '10.0.0.1' }, {}],
    ['a host elsewhere in the environment', {}, { HOUMAO_AGENT_GATEWAY_HOST: 'example.com' }],
    ['a timing of zero', { timings: { stability_threshold_seconds: 0 } }, {}],
    ['a timing without end', { timings: { stability_threshold_seconds: Number.POSITIVE_INFINITY } }, {}],
  ])('%s is refused', (_, options, env) => {
    expect(() => planAttach(options, { env: env as Record<string, string>, statePath: '/s' }, {})).toThrow(
      /must be/,
    );
  });
});

describe('how it will run', () => {
  it('a gateway runs in the foreground until an attach chose otherwise, then as in the last attach unless requested', () => {
    expect(planAttach({}, NO_ENV, {}).mode).toBe('tmux_auxiliary_window');
    expect(planAttach({}, NO_ENV, desired(1, 'auto')).mode).toBe('detached_process');
    expect(planAttach({ mode: 'tmux_auxiliary_window' }, NO_ENV, desired(1, 'auto')).mode).toBe(
      'tmux_auxiliary_window',
    );
  });

  it('each timing of a gateway is from its flag, else as stored, else the default', () => {
    const stored = {
      ...desired(1, 'auto'),
      desired_tui_tracking_timings: { ...resolveTimings({}).timings, stale_active_recovery_seconds: 7 },
    };
    const { timings } = planAttach({ timings: { watch_poll_interval_seconds: 2 } }, NO_ENV, stored);
    expect(timings).toEqual({
      ...resolveTimings({}).timings,
      watch_poll_interval_seconds: 2,
      stale_active_recovery_seconds: 7,
    });
  });
});

describe('what the next attach starts from', () => {
  it('an assigned port is never a hard request at the next attach; a requested one stays one', () => {
    const port = fc.integer({ min: 1, max: 65_535 });
    const options = fc.record({ port: fc.option(port, { nil: undefined }) });
    const env = fc.record({ HOUMAO_AGENT_GATEWAY_PORT: port.map(String) }, { requiredKeys: [] });
    const stored = fc.option(fc.tuple(port, fc.constantFrom('explicit' as const, 'auto' as const)), {
      nil: undefined,
    });
    void fc.assert(
      fc.property(options, env, stored, port, (given, variables, before, handedOut) => {
        const config = before ? desired(...before) : {};
        const plan = planAttach(given, { env: variables, statePath: '/s' }, config);
        const bound = plan.listener.portIsHard ? plan.listener.port : handedOut;
        const after = desiredAfter(config, plan, { port: bound });
        const next = planAttach({}, NO_ENV, after);
        expect(next.listener.port).toBe(bound);
        expect(next.listener.portIsHard).toBe(plan.listener.portIsHard);
        expect(desiredAfter(after, next, { port: bound })).toEqual(after);
      }),
    );
  });
});
