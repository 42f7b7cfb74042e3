import { describe, expect, it } from 'vitest';
import { cleanLine, cleanText } from './clean-text.ts';
import { dayMarkdown } from './day-markdown.ts';
import { type AgentDay, type DayReport, daySummary } from './day-report.ts';

const AT = '2026-04-16T09:00:00Z';
const agent = (more: Partial<AgentDay> = {}): AgentDay => ({
  ...{ agent_name: 'ana', tool: 'claude', state: 'idle', needs_you: null, turns: [], wakes: [], mail: [] },
  ...{ requests: [], states: [], repeated_wakes: [], truncated: false },
  ...more,
});
const report = (agents: AgentDay[]): DayReport => ({
  ...{ schema_version: 1, from_utc: AT, to_utc: AT, agents, your_mail: [], troubles: [] },
});
const mail = (subject: string) => ({
  ...{ at_utc: AT, direction: 'received' as const, with: 'ben', subject, state: 'read', message_ref: 'x' },
});

describe('text of others', () => {
  it('text of others loses terminal sequences and control characters, and keeps its lines', () => {
    const hostile = 'a\u001b[31mred\u001b[0m\u001b]0;title\u0007b\r\nc\u0000\u0008\u202ed\u200b\u009b2Je\tf';
    expect(cleanText(hostile, 100)).toBe('aredb\ncd2Je\tf');
    expect(cleanLine('two\nlines\u001b[2J', 100)).toBe('two lines');
    expect(cleanText('x'.repeat(50), 10)).toBe(`${'x'.repeat(9)}…`);
  });
});

describe('a day as Markdown', () => {
  it('a day as Markdown counts what happened, and names those that did nothing', () => {
    const turn = {
      ...{ at_utc: AT, ended_at_utc: AT, by: 'prompt' as const, prompt: 'go', outcome: 'done' },
      ...{ trouble: false, answer: 'Went.', request_id: 'r' },
    };
    const text = dayMarkdown(
      report([agent({ turns: [turn], mail: [mail('hi')] }), agent({ agent_name: 'ben' })]),
      () => '9:00',
    );
    expect(text).toContain('## ana (claude)\n\n1 turn, 1 mail. Now: `idle`.');
    expect(text).toContain('### 9:00 Prompt (done)\n\n```text\ngo\n```\n\nAnswer:\n\n```text\nWent.\n```');
    expect(text).toContain('Nothing from: `ben`');
    expect(daySummary(agent())).toBe('nothing');
  });

  it('a day as Markdown makes nothing of others a picture, a link, HTML or a heading', () => {
    const evil = '![x](http://evil/p.png) `code` ```` <img src=x> \n# heading';
    const text = dayMarkdown(report([agent({ mail: [mail(evil)], state: evil })]), () => '9:00');
    expect(text).toContain('`````![x](http://evil/p.png) `code` ```` <img src=x> # heading`````');
    expect(text).not.toMatch(/^# heading/m);
    const turn = {
      ...{ at_utc: AT, ended_at_utc: null, by: 'typed' as const, prompt: '```\n# out', outcome: 'done' },
      ...{ trouble: false, answer: null, request_id: null },
    };
    expect(dayMarkdown(report([agent({ turns: [turn] })]), () => '')).toContain('````text\n```\n# out\n````');
  });
});
