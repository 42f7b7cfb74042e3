import { describe, expect, it } from 'vitest';
import { showStatus } from './gateway.ts';

const USUAL = {
  gateway_health: 'healthy',
  managed_agent_recovery: 'idle',
  terminal_surface_eligibility: 'ready',
  managed_agent_instance_epoch: 1,
  active_execution: 'idle',
};
const shown = (status: object): string =>
  showStatus('Gateway status', { status: status as never, notes: [] });

describe('the plain status of a gateway', () => {
  it('the gateway status leaves out usual values', () => {
    expect(shown(USUAL)).not.toMatch(/recovery|eligibility|epoch|active_source|trouble/);
  });

  it('the gateway status shows unusual recovery, eligibility, epoch, source and failing loops', () => {
    const text = shown({
      ...USUAL,
      managed_agent_recovery: 'reconciliation_required',
      terminal_surface_eligibility: 'not_ready',
      managed_agent_instance_epoch: 2,
      active_source: 'direct_prompt',
      troubles: [
        {
          loop: 'dispatch',
          message: 'database is locked',
          failures: 4,
          since_utc: '2026-04-16T09:14:02.113Z',
        },
      ],
    });
    expect(text).toMatch(/managed_agent_recovery +reconciliation_required/);
    expect(text).toMatch(/terminal_surface_eligibility +not_ready/);
    expect(text).toMatch(/managed_agent_instance_epoch +2/);
    expect(text).toMatch(/active_source +direct_prompt/);
    expect(text).toMatch(/trouble in dispatch +database is locked \(4 times since 2026-04-16 09:14:02Z/);
  });

  it('the gateway status has no agent lines without a live gateway', () => {
    const offline = { ...USUAL, gateway_health: 'not_attached', terminal_surface_eligibility: 'unknown' };
    expect(shown(offline)).not.toMatch(/eligibility/);
  });
});
