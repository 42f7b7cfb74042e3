import * as fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MAIL_TOOLS } from '../../mcp/mail-tools.ts';
import { toolOf } from '../../tools/index.ts';
import { PROCESS_SKILL } from '../../wire/houmao/index.ts';
import { renderWakePrompt, type WakePromptFacts } from './wake-prompt.ts';

const PACKAGED = fs.readFileSync('assets/prompts/mail-notifier.md', 'utf8');
const SHORT = fs.readFileSync('assets/prompts/mail-notifier-short.md', 'utf8');
const BASE = 'http://127.0.0.1:4711';

const facts = (tool: string, more: Partial<WakePromptFacts> = {}): WakePromptFacts => ({
  mode: 'any_inbox',
  tool,
  command: (words) => `/opt/rouse/bin/rouse agents mail ${words} --agent-name gpu`,
  doors: { baseUrl: BASE },
  skills: { process: true, comms: true },
  ...more,
});

const TOOLS = ['claude', 'codex', 'gemini', 'opencode', 'qwen', 'copilot', 'kimi', 'pi'];
const namesOf = (tool: string) => (operation: string) =>
  toolOf(tool)!.mcp!.modelName('rouse', `mail_${operation}`);

describe('the prompt of a wake', () => {
  it.each(TOOLS)(
    'a wake leads with the tools that the model of %s sees, and every one of them is served',
    (tool) => {
      const text = renderWakePrompt(PACKAGED, facts(tool, { tools: namesOf(tool) }));
      const [line = ''] = /Use your mail tools: (`[^`]+`[,.]\s)+/.exec(text) ?? [];
      const named = [...line.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
      const served = MAIL_TOOLS.map(({ name }) => toolOf(tool)!.mcp!.modelName('rouse', name));
      expect(named).toEqual(['list', 'read', 'reply', 'send', 'archive'].map(namesOf(tool)));
      expect(named.filter((name) => !served.includes(name!))).toEqual([]);
      const order = [line, PROCESS_SKILL, 'agents mail list', `${BASE}/v1/mail/list`].map((part) =>
        text.indexOf(part),
      );
      expect(order).toEqual([...order].sort((a, b) => a - b));
      expect(order[0]).toBeGreaterThan(0);
    },
  );

  it('a wake without tools names the skill, the commands and then the addresses', () => {
    const text = renderWakePrompt(PACKAGED, facts('claude'));
    const order = [
      PROCESS_SKILL,
      'By command: /opt/rouse',
      `Gateway: ${BASE}`,
      `POST ${BASE}/v1/mail/archive`,
    ];
    const found = order.map((part) => text.indexOf(part));
    expect(found).toEqual([...found].sort((a, b) => a - b));
    expect(found[0]).toBeGreaterThan(0);
    expect(text).not.toContain('mail_list');
  });

  it.each([undefined, namesOf('codex')])(
    'a wake has the five instructions and every address, whatever it leads with',
    (tools) => {
      const text = renderWakePrompt(PACKAGED, facts('codex', { tools }));
      expect(text.match(/(?<=^|\s)[1-5]\. /g)).toHaveLength(5);
      for (const name of [
        'status',
        'list',
        'peek',
        'read',
        'send',
        'post',
        'reply',
        'mark',
        'move',
        'archive',
      ])
        expect(text).toMatch(new RegExp(`^- (.* )?(GET|POST) ${BASE}/v1/mail/${name}( |$)`, 'm'));
    },
  );

  it('a wake where no address serves mail has the tools before the commands', () => {
    const command = (words: string) => `rouse agents mail ${words}`;
    const text = renderWakePrompt(
      PACKAGED,
      facts('claude', { tools: namesOf('claude'), doors: { command } }),
    );
    expect(text).toContain('mcp__rouse__mail_archive');
    expect(text).toMatch(/^- rouse agents mail archive --message-ref REF$/m);
    expect(text).not.toContain('http://');
  });

  const SENDERS = ['ben', 'you', 'someone outside'];
  const EVERY = [...TOOLS, 'scripted'].flatMap((tool) =>
    [true, false].flatMap((hasTools) =>
      [true, false].flatMap((process) =>
        (['any_inbox', 'unread_only'] as const).map((mode) => ({ tool, hasTools, process, mode })),
      ),
    ),
  );

  it.each(EVERY)(
    'a wake of $tool has at most 18 short lines (tools $hasTools, skill $process, $mode)',
    (each) => {
      const { tool, hasTools, process, mode } = each;
      const tools = hasTools && toolOf(tool)?.mcp ? namesOf(tool) : undefined;
      const skills = { process, comms: true };
      const lines = renderWakePrompt(PACKAGED, facts(tool, { tools, skills, mode, senders: SENDERS })).split(
        '\n',
      );
      expect(lines.length).toBeLessThanOrEqual(18);
      // A line with a path of this installation is as long as the path.
      const long = lines.filter((line) => line.length > 100 && !line.includes('/opt/rouse/bin'));
      expect(long).toEqual([]);
      expect(lines).not.toContain('');
      const text = lines.join('\n');
      expect(text).toContain(`Gateway: ${BASE} (exactly this address`);
      expect(text.match(new RegExp(`(GET|POST) ${BASE}/v1/mail/[a-z]+`, 'g'))).toHaveLength(10);
    },
  );

  it('the short text of a wake has the tools and no address', () => {
    const text = renderWakePrompt(SHORT, facts('claude', { tools: namesOf('claude') }));
    expect(text).toContain('mcp__rouse__mail_archive');
    expect(text).not.toMatch(/http:|\/v1\/mail|bin\/rouse/);
    expect(text.split('\n').length).toBeLessThanOrEqual(9);
  });

  it('a wake names senders only if they are passed, and then on one line', () => {
    const without = renderWakePrompt(PACKAGED, facts('claude'));
    const named = renderWakePrompt(PACKAGED, facts('claude', { senders: SENDERS })).split('\n');
    expect(without).not.toContain('Mail from');
    expect(named).toContain('Mail from: ben, "you" (the person you work for), someone outside.');
    expect(named.filter((line) => !line.startsWith('Mail from: ')).join('\n')).toBe(without);
  });
});
