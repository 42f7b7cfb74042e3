import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { cliAgent } from '../../../test/support/cli-agent.ts';
import { Ending } from '../../base/index.ts';
import { renderWakePrompt } from '../../gateway/notifier/index.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

const mail = (...words: string[]): string[] => ['agents', 'mail', ...words, '--agent-name', 'gpu'];
const BODY = ['--body-content', 'text'];

describe.each(['gateway_backed', 'manager_direct'])('the mail of an agent, %s', (execution_path) => {
  async function start() {
    const agent = await cliAgent(ending);
    if (execution_path === 'gateway_backed') await agent.attach();
    return agent;
  }

  it('mail is listed, read, answered, marked, moved, archived and found, all with one envelope', async () => {
    const agent = await start();
    const ref = ['--message-ref', await agent.mail('build failed')];
    const verified = { authoritative: true, status: 'verified', execution_path, address: 'gpu@test' };
    expect(await agent.json(mail('status'))).toMatchObject({
      ...verified,
      operation: 'status',
      unread_count: 1,
    });
    expect(await agent.json(mail('list', '--read-state', 'unread'))).toMatchObject({
      ...verified,
      operation: 'list',
      message_count: 1,
    });
    expect(await agent.json(mail('peek', ...ref))).toMatchObject({ message: { read: false } });
    expect(await agent.json(mail('read', ...ref))).toMatchObject({ ...verified, message: { read: true } });
    expect(await agent.json(mail('mark', ...ref, '--unread', '--answered'))).toMatchObject({
      messages: [{ read: false, answered: true }],
    });
    expect(await agent.json(mail('reply', ...ref, ...BODY))).toMatchObject({
      operation: 'reply',
      message: { subject: 'Re: build failed', to: [{ address: 'peer@test' }] },
    });
    expect(await agent.json(mail('search', 'failed'))).toMatchObject({
      operation: 'search',
      message_count: 2,
    });
    expect(await agent.json(mail('move', ...ref, '--destination-box', 'later'))).toMatchObject({
      messages: [{ box: 'later' }],
    });
    expect(await agent.json(mail('archive', ...ref))).toMatchObject({ messages: [{ archived: true }] });
    expect((await agent.json(mail('list', '--not-archived'))).messages).toEqual([]);
    expect((await agent.json(mail('list', '--archived'))).messages).toMatchObject([{ box: 'archive' }]);
  });

  it('mail is sent once per key, with a body from a file, and posted by the operator', async () => {
    const agent = await start();
    const file = path.join(agent.home, 'body.md');
    fs.writeFileSync(file, 'from a file\n');
    const line = mail(
      'send',
      '--to',
      'peer@test',
      '--subject',
      's',
      '--body-file',
      file,
      '--idempotency-key',
      'k',
    );
    const first = await agent.json(line);
    expect(await agent.json(line)).toMatchObject({
      duplicate: true,
      message: { message_ref: first.message.message_ref },
    });
    const note = await agent.json(mail('post', '--subject', 'goal'), { stdin: 'piped' });
    const read = await agent.rouse(mail('read', '--message-ref', note.message.message_ref));
    expect(read.out).toMatch(/subject +goal\n[\s\S]*\n\npiped/);
    const empty = await agent.rouse(mail('post', '--subject', 'goal'), { stdin: '' });
    expect([empty.code, empty.err]).toEqual([2, expect.stringMatching(/no text/)]);
    const copied = await agent.json(
      mail('send', '--to', 'peer@test', '--subject', 's', ...BODY, '--attach-copy', file),
    );
    expect(copied.message.attachments).toMatchObject([{ kind: 'managed_copy' }]);
  });

  it('mail is searched page by page', async () => {
    const agent = await start();
    for (const subject of ['one', 'two']) await agent.mail(subject);
    const first = await agent.json(mail('search', 'about', '--limit', '1'));
    expect(first).toMatchObject({ message_count: 1, truncated: true });
    const rest = await agent.json(mail('search', 'about', '--limit', '1', '--cursor', first.next_cursor));
    expect(rest).toMatchObject({ messages: [{ subject: 'one' }], truncated: false, next_cursor: null });
  });

  it.each<[string[], RegExp, number]>([
    [mail('read', '--message-ref', 'filesystem:msg-unknown'), /msg-unknown/, 3],
    [mail('send', '--to', 'per@test', '--subject', 's', ...BODY), /per@test[\s\S]*peer@test/, 3],
    [mail('send', '--to', 'peer@test', '--subject', 's'), /has no text/, 2],
    [
      mail('send', '--to', 'peer@test', '--subject', 's', '--body-file', '/nowhere'),
      /--body-file \/nowhere/,
      3,
    ],
    [mail('send', '--to', 'peer@test', '--subject', 's', '--body-file', '/dev/zero'), /longer than/, 2],
    [mail('list', '--archived', '--box', 'inbox'), /box must be archive/, 2],
    [mail('send', '--subject', 's', ...BODY), /--to/, 2],
    [mail('mark', '--message-ref', 'x'), /use --read, --answered or --archived/, 2],
    [mail('list', '--since', 'yesterday'), /7d, 12h, 30m/, 2],
    [mail('move', '--message-ref', 'x', '--destination-box', '../y'), /box/, 2],
  ])('refuses %j with what is allowed', async (args, message, exit) => {
    const { code, out, err } = await (await start()).rouse(args);
    expect(err).toMatch(message);
    expect([code, out]).toEqual([exit, '']);
  });
});

describe('an agent without a mailbox', () => {
  it('an agent without a mailbox gets a hint how to register one', async () => {
    const agent = await cliAgent(ending, { mailbox: false });
    const { code, err } = await agent.rouse(mail('list'));
    expect([code, err]).toEqual([3, expect.stringMatching(/no mailbox[\s\S]*rouse agents mailbox register/)]);
  });
});

it.each(['any_inbox', 'unread_only'] as const)(
  'every command that a wake names in mode %s, where a gateway serves no mail, is one',
  async (mode) => {
    const agent = await cliAgent(ending);
    const ref = await agent.mail('hello');
    const text = renderWakePrompt('{{doors}}', {
      mode,
      tool: 'claude',
      doors: { command: (words) => `agents mail ${words} --agent-name gpu` },
      skills: { process: true, comms: true },
    });
    const values: Record<string, string> = { REF: ref, ADDRESS: 'peer@test', TEXT: 'text', BOX: 'later' };
    const lines = text.split('\n').filter((line) => line.startsWith('- '));
    expect(lines).toHaveLength(5);
    for (const line of lines) {
      const words = line.slice(2).split(' ');
      const answer = await agent.json(words.map((word) => values[word] ?? word));
      expect(answer).toMatchObject({ operation: words[2], status: 'verified' });
      if (words[2] === 'list') expect(answer.message_count).toBe(1);
    }
  },
);
