import { expect, it } from 'vitest';
import type { AgentNeed } from '../../../domain/index.ts';
import type { PageNeed } from '../../../wire/index.ts';
import type { SeenAgent } from './agent-rows.ts';
import { byUrgency, needsOfAgent, requestNeed } from './needs.ts';

const NOW = new Date('2026-01-02T12:00:00Z');
const ago = (ms: number): string => new Date(NOW.getTime() - ms).toISOString();
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const seen = (needs: object[], over: { seenAt?: number; state?: string } = {}): SeenAgent =>
  ({
    agent: { name: 'ana', id: 'id-ana', state: over.state ?? 'waiting', needs: needs as AgentNeed[] },
    seenAt: over.seenAt,
  }) as unknown as SeenAgent;

const failure = (since_utc: string) => ({
  kind: 'failed',
  words: 'Fix the build',
  since_utc,
  request: { request_id: 'gwreq-1', detail: 'the tool is gone' },
});

it('needs are sorted by urgency, then by priority, waiting time and key', () => {
  const need = (kind: string, since_utc: string | null, key: string, priority = 0) =>
    ({ kind, since_utc, key, priority }) as PageNeed;
  const sorted = byUrgency([
    need('overdue', ago(DAY), 'd'),
    need('dialog', ago(MINUTE), 'c'),
    need('dialog', ago(DAY), 'b'),
    need('dialog', null, 'a'),
    need('overdue', ago(MINUTE), 'urgent', 50),
  ]);
  expect(sorted.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'urgent', 'd']);
});

it('a dialog is a need with one sentence and a link to the screen', () => {
  const [need] = needsOfAgent(
    seen([{ kind: 'dialog', words: 'permission dialog', needs_you: 'answer it', since_utc: ago(MINUTE) }]),
    NOW,
  );
  expect(need).toMatchObject({
    agent: 'ana',
    why: 'ana needs you: answer it.',
    action: { label: 'Answer', href: '/ui/agents/ana?tab=screen', command: 'rouse open ana' },
  });
});

it('a passing need is shown only after two seconds, unless the agent is gone', () => {
  const passing = (since_utc: string) => ({ kind: 'other', words: 'draft', needs_you: 'send it', since_utc });
  expect(needsOfAgent(seen([passing(ago(1000))]), NOW)).toEqual([]);
  expect(needsOfAgent(seen([passing(ago(3000))]), NOW)).toHaveLength(1);
  expect(needsOfAgent(seen([passing(ago(1000))], { state: 'gone' }), NOW)).toHaveLength(1);
});

it('a failed delivery is a need for a day, or until a person opens the agent', () => {
  expect(needsOfAgent(seen([failure(ago(MINUTE))]), NOW)).toMatchObject([
    {
      key: 'failed:id-ana:gwreq-1',
      why: '“Fix the build” was not delivered to ana: the tool is gone.',
      action: { href: '/ui/agents/ana?tab=queue&ledger=gwreq-1' },
    },
  ]);
  expect(needsOfAgent(seen([failure(ago(DAY + MINUTE))]), NOW)).toEqual([]);
  expect(needsOfAgent(seen([failure(ago(MINUTE))], { seenAt: NOW.getTime() }), NOW)).toEqual([]);
});

it('a request to people and one that no agent answers are needs of different kinds', () => {
  const request = {
    id: 'r-1',
    kind: 'approval',
    title: 'Approve the release',
    requester: 'ana',
    recipient: 'ben',
    person: null,
    need: 'request',
    agent: 'ana',
    priority: 20,
    since: NOW,
    command: 'rouse requests show r-1',
    href: '/ui/requests?id=r-1',
  } satisfies Parameters<typeof requestNeed>[0];
  expect(requestNeed(request)).toMatchObject({
    kind: 'request',
    request_id: 'r-1',
    priority: 20,
    agent: 'ana',
    why: 'ana asks you to approve: “Approve the release”.',
    action: { command: 'rouse requests show r-1' },
  });
  expect(requestNeed({ ...request, need: 'overdue', agent: 'ben' })).toMatchObject({
    kind: 'overdue',
    agent: 'ben',
    why: 'ben has not answered ana after the last reminder: “Approve the release”.',
  });
});
