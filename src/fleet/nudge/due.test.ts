import { expect, it } from 'vitest';
import { dueRules } from './due.ts';
import { escalationBody, nudgeText } from './nudge-text.ts';
import { NUDGE_DEFAULTS } from './settings.ts';

const rules = (over: object = {}) => dueRules({ ...NUDGE_DEFAULTS, ...over });

it('a ticket is due once it is old enough, and again after the pause since its last nudge', () => {
  const { never, again } = rules({ staleAfterSeconds: 600, renudgeAfterSeconds: 3600 });
  expect(never).toContain('r.last_nudged_at IS NULL AND r.created_at < now() - make_interval(secs => 600)');
  expect(again).toContain('r.last_nudged_at < now() - make_interval(secs => 3600)');
  expect(again).not.toContain('power(');
});

it('with backoff the pause doubles with each unanswered nudge, up to a day', () => {
  const { again } = rules({ backoff: true, renudgeAfterSeconds: 3600 });
  expect(again.replace(/\s+/g, ' ')).toContain('least(86400, 3600 * power(2,');
});

it('an agent may be nudged when it is online, idle and has no nudge on its way', () => {
  const { state } = rules({ heartbeatMaxAgeSeconds: 0, agentSpacingSeconds: 0 });
  expect(state).toContain("WHEN w.status <> 'online' THEN 'offline'");
  expect(state).toContain("WHEN w.active_tasks > 0 THEN 'busy'");
  expect(state).toContain("THEN 'queued'");
  expect(state).not.toContain('last_heartbeat_at');
  expect(state).not.toContain("'spacing'");
});

it('the age of the last heartbeat and the spacing of nudges count only when they are set', () => {
  const { state } = rules({ heartbeatMaxAgeSeconds: 90, agentSpacingSeconds: 30 });
  expect(state).toContain('w.last_heartbeat_at < now() - make_interval(secs => 90)');
  expect(state).toContain('w.last_inbox_nudge_at >= now() - make_interval(secs => 30)');
});

it('a nudge is a count and the names of tools, never text of others', () => {
  expect(nudgeText(1)).toMatch(/^You have 1 unhandled inbox request awaiting/);
  expect(nudgeText(3)).toMatch(/^You have 3 unhandled inbox requests awaiting/);
  expect(JSON.stringify(escalationBody('r-1', 4))).toContain('r-1 has had no answer after 4 reminders');
});
