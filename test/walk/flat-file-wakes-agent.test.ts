import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTranscript } from '../support/scripted-agent.ts';
import { TestWorld } from '../support/test-world.ts';

/** A flat file as the mailbox of an agent: bound by the command line, watched by a real gateway, handled by the agent. */
let world: TestWorld;
let inbox: string;
beforeAll(() => {
  world = new TestWorld();
  inbox = path.join(world.workdir, '.agent', 'inbox.md');
});
afterAll(async () => {
  await json('agents', 'stop', '--agent-name', 'app');
  await world.close();
});

const WAIT = { timeout: 20_000, interval: 50 };
const json = (...args: string[]) => world.rouse(['--print-json', ...args]);

async function prepend(id: string): Promise<void> {
  const file = path.join(world.directory, `${id}.md`);
  const envelope = `from: ben@app\nto: totebox@app\nre: ${id}\nmsg-id: ${id}`;
  fs.writeFileSync(file, `---\n${envelope}\n---\n\nplease do it\n`);
  expect((await json('mailfile', 'prepend', '--mailbox', inbox, '--message-file', file)).code).toBe(0);
}

async function received(): Promise<number> {
  const { json: agent } = await json('agents', 'show', '--agent-name', 'app');
  return readTranscript(agent['transcript_path']).filter(({ type }) => type === 'submitted').length;
}

const mail = (...args: string[]) => json('agents', 'mail', args[0]!, '--agent-name', 'app', ...args.slice(1));
const ids = async (box: string): Promise<string[]> =>
  (await mail('list', '--box', box)).json['messages'].map((each: { subject: string }) => each.subject);

describe('an agent launched with a flat file', () => {
  it('an agent launched with a flat file has it as its mailbox, and no mail store is made', async () => {
    const flags = ['--mailbox-root', inbox, '--mailbox-address', 'totebox@app', '--gateway-auto-attach'];
    const tool = ['--', '--turn', '50ms', '--act-on-mail', '--reply', ''];
    const said = await json(
      ...['agents', 'launch', '--tool', 'scripted', '--agent-name', 'app', '--gateway-background'],
      ...[...flags, ...tool],
    );
    expect([said.code, said.stderr]).toEqual([0, '']);
    const { mailbox, activation_state } = (await json('agents', 'mailbox', 'status', '--agent-name', 'app'))
      .json;
    expect(activation_state).toBe('active');
    expect(mailbox).toMatchObject({
      transport: 'flatfile',
      address: 'totebox@app',
      principal_id: 'HOUMAO-app',
      mailbox_path: path.dirname(inbox),
    });
    expect(fs.existsSync(inbox)).toBe(false);
  });

  it('an agent launched with a flat file is woken by a message that is prepended, and handles it', async () => {
    const enabled = await json(
      ...[
        'agents',
        'gateway',
        'mail-notifier',
        'enable',
        '--agent-name',
        'app',
        '--interval-seconds',
        '3600',
      ],
    );
    expect(enabled.code).toBe(0);
    await prepend('first');
    await expect.poll(received, WAIT).toBe(1);
    await expect.poll(() => ids('archive'), WAIT).toEqual(['first']);
    expect(await ids('inbox')).toEqual([]);
    expect(fs.readFileSync(inbox.replace('inbox.md', 'inbox-archive.md'), 'utf8')).toContain('msg-id: first');
  });

  it('an agent launched with a flat file sends into its outbox, through the gateway and without one', async () => {
    const send = (subject: string) =>
      mail('send', '--to', 'ben@app', '--subject', subject, '--body-content', 'done');
    expect((await send('with')).json).toMatchObject({
      execution_path: 'gateway_backed',
      transport: 'flatfile',
    });
    await json('agents', 'gateway', 'detach', '--agent-name', 'app');
    expect((await send('without')).json).toMatchObject({ execution_path: 'manager_direct' });
    expect(await ids('sent')).toEqual(['without', 'with']);
  });

  it('an agent launched with a flat file keeps its files when it is unregistered, and can be given them again', async () => {
    const mailbox = (action: string, ...flags: string[]) =>
      json('agents', 'mailbox', action, '--agent-name', 'app', ...flags);
    expect((await mailbox('unregister', '--mode', 'purge')).code).toBe(6);
    expect((await mailbox('unregister')).code).toBe(0);
    expect((await mailbox('status')).json).toMatchObject({ registered: false });
    expect(fs.existsSync(path.dirname(inbox))).toBe(true);
    const again = await mailbox('register', '--mailbox-root', inbox, '--address', 'totebox@app');
    expect(again.json).toMatchObject({ registered: true, mailbox: { transport: 'flatfile' } });
    expect(await ids('sent')).toHaveLength(2);
    const wrong = await mailbox(
      'register',
      '--mailbox-root',
      inbox.replace('inbox', 'other'),
      '--mode',
      'force',
    );
    expect([wrong.code, wrong.json['error'].hint]).toEqual([2, expect.stringContaining('rouse mailfile')]);
  });
});
