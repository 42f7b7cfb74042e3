import { expect, it } from 'vitest';
import { settingLines } from './print.ts';
import type { WhySource } from './source.ts';

const source = (fleet: WhySource['fleet']): WhySource =>
  ({ agent: 'ana', notifier: { enabled: false }, offline: undefined, fleet }) as WhySource;
const connection = {
  url: 'http://fleet',
  workspace_id: 'w',
  since_utc: '2026-01-01T10:00:00.000Z',
} as const;

it("why names the session that took over the agent's place in the fleet", () => {
  const detail = 'replaced by session far on host away';
  const lines = settingLines(source({ ...connection, state: 'refused', detail }), Date.now());
  expect(lines.join('\n')).toContain(`: ${detail}. Nothing from it arrives here.`);
});

it('why does not mention the fleet when the agent is connected or in none', () => {
  for (const fleet of [undefined, { ...connection, state: 'connected' as const, detail: null }])
    expect(settingLines(source(fleet), Date.now()).join('\n')).not.toContain('Fleet');
});
