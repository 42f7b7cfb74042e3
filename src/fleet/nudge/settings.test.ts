import { describe, expect, it } from 'vitest';
import { createLog, systemClock } from '../../base/index.ts';
import { NUDGE_DEFAULTS, nudgeSettings } from './settings.ts';

function read(env: Record<string, string>) {
  const lines: string[] = [];
  const settings = nudgeSettings(env, createLog({ clock: systemClock, write: (line) => lines.push(line) }));
  return { settings, lines };
}

describe('settings of nudges', () => {
  it('settings of nudges are five minutes, ten minutes, one hour and 200 agents by default', () => {
    const { settings, lines } = read({});
    expect(settings).toEqual(NUDGE_DEFAULTS);
    expect(settings).toMatchObject({
      intervalSeconds: 300,
      staleAfterSeconds: 600,
      renudgeAfterSeconds: 3600,
      batchLimit: 200,
      agentSpacingSeconds: 0,
      backoff: false,
      maxNudges: 0,
      heartbeatMaxAgeSeconds: 0,
    });
    expect(lines).toEqual([]);
  });

  it('take whole seconds above zero', () => {
    expect(read({ REQUEST_NUDGE_SWEEPER_INTERVAL_S: ' 42 ' }).settings.intervalSeconds).toBe(42);
    const { settings } = read({
      REQUEST_NUDGE_STALE_AFTER_S: '1',
      REQUEST_NUDGE_RENUDGE_AFTER_S: '2',
      REQUEST_NUDGE_BATCH_LIMIT: '3',
      REQUEST_NUDGE_AGENT_SPACING_S: '900',
      REQUEST_NUDGE_MAX: '3',
      REQUEST_NUDGE_HEARTBEAT_MAX_AGE_S: '180',
      REQUEST_NUDGE_BACKOFF: 'True',
    });
    expect(settings).toMatchObject({ staleAfterSeconds: 1, renudgeAfterSeconds: 2, batchLimit: 3 });
    expect(settings).toMatchObject({ agentSpacingSeconds: 900, maxNudges: 3, heartbeatMaxAgeSeconds: 180 });
    expect(settings.backoff).toBe(true);
  });

  it.each(['garbage', '0', '-5', '1.5', '1e3', '5s', '99999999999999', '٥', "1'; --"])(
    'take the default for %j, and say so in one line',
    (value) => {
      const { settings, lines } = read({ REQUEST_NUDGE_SWEEPER_INTERVAL_S: value });
      expect(settings.intervalSeconds).toBe(300);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain('REQUEST_NUDGE_SWEEPER_INTERVAL_S');
    },
  );

  it('take the default quietly when the variable is empty', () => {
    expect(read({ REQUEST_NUDGE_SWEEPER_INTERVAL_S: '' })).toMatchObject({
      settings: { intervalSeconds: 300 },
      lines: [],
    });
  });

  it.each(['true', 'TRUE', ' True '])('nudges are disabled by %j', (value) => {
    expect(read({ REQUEST_NUDGE_SWEEPER_DISABLED: value }).settings.disabled).toBe(true);
  });

  it.each(['1', 'yes', 'false', '', 'truely'])(
    'are not disabled by %j, nor by an interval of zero',
    (value) => {
      const { settings, lines } = read({
        REQUEST_NUDGE_SWEEPER_DISABLED: value,
        REQUEST_NUDGE_SWEEPER_INTERVAL_S: '0',
      });
      expect(settings.disabled).toBe(false);
      const reported = lines.filter((line) => line.includes('REQUEST_NUDGE_SWEEPER_DISABLED'));
      expect(reported).toHaveLength(value === 'false' || value === '' ? 0 : 1);
    },
  );
});
