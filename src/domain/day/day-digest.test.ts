import { describe, expect, it } from 'vitest';
import { type DigestEntry, digestOf } from './day-digest.ts';
import type { AgentDay, DayReport } from './day-report.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 3, 16, 9, minute)).toISOString();
const agent = (more: Partial<AgentDay>): AgentDay => ({
  ...{ agent_name: 'ana', tool: 'claude', state: 'idle', needs_you: null, turns: [], wakes: [], mail: [] },
  ...{ requests: [], states: [], repeated_wakes: [], truncated: false },
  ...more,
});
const lines = (more: Partial<AgentDay>, your_mail: DayReport['your_mail'] = []): string[] => {
  const report: DayReport = {
    ...{
      schema_version: 1,
      from_utc: at(0),
      to_utc: at(600),
      agents: [agent(more)],
      your_mail,
      troubles: [],
    },
  };
  return digestOf(report).map(({ section, text }: DigestEntry) => `${section}: ${text}`);
};
const turn = (ended: number, more: Partial<AgentDay['turns'][number]> = {}): AgentDay['turns'][number] => ({
  ...{
    at_utc: at(0),
    ended_at_utc: at(ended),
    by: 'prompt',
    prompt: 'go\non',
    outcome: 'done',
    trouble: false,
  },
  ...{ answer: null, request_id: 'r' },
  ...more,
});

describe('what a person who was away wants to know', () => {
  it('turns are finished or failed, the newest first', () => {
    expect(
      lines({ turns: [turn(5), turn(9, { outcome: 'unconfirmed', trouble: true, prompt: null })] }),
    ).toEqual(['failed: handled its mail (unconfirmed)', 'finished: go (done)']);
  });

  it('an open request of an agent is asked and still waiting, a closed one only asked', () => {
    const request = { at_utc: at(1), request_id: 'q', direction: 'asks' as const, title: 'which port?' };
    expect(lines({ requests: [{ ...request, status: 'pending' }] }).sort()).toEqual([
      'asked: asks: which port?',
      'waiting: waits for an answer: which port?',
    ]);
    expect(lines({ requests: [{ ...request, status: 'approved' }] })).toEqual(['asked: asks: which port?']);
    expect(lines({ needs_you: 'log in' })).toEqual(['waiting: needs you: log in']);
  });

  it('repeated wakes, a person needed for long, a long turn and a tool that is often gone are unusual', () => {
    const gone = [10, 20, 30].map((minute) => ({
      at_utc: at(minute),
      state: 'gone' as const,
      words: 'tool gone',
    }));
    expect(
      lines({
        repeated_wakes: [
          { at_utc: at(3), times: 10, mails: 7 },
          { at_utc: at(2), times: 2, mails: 1 },
        ],
        states: [
          { at_utc: at(1), state: 'needs_you', words: 'permission dialog' },
          { at_utc: at(46), state: 'idle', words: 'idle' },
        ],
        turns: [turn(190)],
      }),
    ).toEqual([
      'finished: go (done)',
      'unusual: woken 10 times for the same 7 mails',
      'unusual: needed you for 45 min',
      'unusual: one turn took 3 h 10 min',
    ]);
    expect(lines({ states: gone })).toEqual(['unusual: its tool was gone 3 times']);
  });

  it('mail to the person was asked of them', () => {
    const mail = {
      at_utc: at(4),
      direction: 'received' as const,
      with: 'ben',
      subject: 'Shall I?',
      state: 'unread',
    };
    expect(lines({}, [{ ...mail, message_ref: 'm' }])).toEqual(['asked: ben wrote to you: Shall I?']);
  });
});
