import * as fs from 'node:fs';
import * as http from 'node:http';
import * as net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ControlClient } from '../support/scripted-agent.ts';
import { ScriptedWorld } from './scripted-world.ts';

let world: ScriptedWorld;
beforeAll(async () => {
  world = await ScriptedWorld.open();
});
afterAll(() => world.close());

/** Sends raw bytes and returns the lines that came back, up to the first that matches. */
function raw(path: string, bytes: string, until: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(path, () => socket.write(bytes));
    let seen = '';
    socket.on('data', (chunk) => {
      seen += chunk;
      if (!until.test(seen)) return;
      socket.destroy();
      resolve(seen);
    });
    socket.on('error', reject);
  });
}

describe('the control channel', () => {
  it('the control channel is open to its owner only', async () => {
    const pane = await world.start();
    expect(fs.statSync(pane.controlPath).mode & 0o777).toBe(0o600);
  });

  it('the control channel answers each message once, sends events to every client, and replays them to a late one', async () => {
    const pane = await world.start(['--turn', '0']);
    const other = await ControlClient.connect(pane.controlPath);
    await pane.type('hello');
    await pane.press('Enter');
    const seen = await Promise.all([pane.control, other].map((client) => client.event('turn_finished')));
    expect(seen[0]).toEqual(seen[1]);
    const late = await ControlClient.connect(pane.controlPath);
    expect(await late.event('turn_finished')).toEqual(seen[0]);
    other.close();
    late.close();
  });

  it.each([
    ['not json\n', /one JSON object per line/],
    ['[1,2]\n', /one JSON object per line/],
    ['"skin"\n', /one JSON object per line/],
    ['{"id":"x","type":"nope"}\n', /"ack":"x","ok":false,"error":"unknown control message type/],
    ['\n\n{"type":"status"}\n', /"ok":true/],
    [`${JSON.stringify({ type: 'draft', text: '\u001b[2J' })}\n`, /"ok":true/],
  ])('the control channel takes %j and goes on', async (bytes, answer) => {
    const pane = await world.start();
    expect(await raw(pane.controlPath, bytes, /"ok"/)).toMatch(answer);
    expect(await pane.control.send('status')).toMatchObject({ state: 'ready' });
    await pane.control.send('exit');
  });

  it('the control channel drops a client that sends a line without end, and serves the others', async () => {
    const pane = await world.start();
    const socket = net.connect(pane.controlPath);
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    socket.on('error', () => {});
    socket.write('x'.repeat(8 << 20));
    await closed;
    expect(await pane.control.send('status')).toMatchObject({ state: 'ready' });
  });

  it('the control channel takes over the socket of a killed agent, and never that of a living one', async () => {
    const pane = await world.start();
    const taken = world.command([
      '--control',
      pane.controlPath,
      '--transcript',
      `${world.directory}/second.jsonl`,
    ]);
    const session = `second-${pane.session}`;
    await world.tmux(['new-session', '-d', '-s', session, `${taken}; exec sh`]);
    await pane.shows(/is in use by another agent/, () =>
      world.tmux(['capture-pane', '-p', '-t', `=${session}:`]),
    );
    expect(await pane.control.send('status')).toMatchObject({ state: 'ready' });
    process.kill((pane.records('started')[0] as unknown as { pid: number }).pid, 'SIGKILL');
    await pane.control.closed;
    expect(fs.existsSync(pane.controlPath)).toBe(true);
    await world.tmux(['send-keys', '-t', `=${session}:`, taken, 'Enter']);
    const client = await ControlClient.connect(pane.controlPath);
    await client.event('ready');
    client.close();
  });
});

describe('the status file', () => {
  it('the status file of the scripted agent says idle, busy or waiting, and for what', async () => {
    const file = `${world.directory}/status.json`;
    const pane = await world.start(['--status-file', file]);
    const status = (): Record<string, unknown> => JSON.parse(fs.readFileSync(file, 'utf8'));
    const { pid } = pane.records('started')[0] as unknown as { pid: number };
    expect(status()).toMatchObject({ pid, status: 'idle' });
    await pane.control.send('busy', { ms: 600_000 });
    expect(status()).toMatchObject({ status: 'busy' });
    await pane.control.send('open-dialog', { kind: 'question' });
    expect(status()).toMatchObject({ status: 'waiting', waiting_for: 'question' });
    await pane.control.send('close-dialog');
    await pane.control.send('end-turn');
    await pane.control.event('turn_finished');
    expect(status()).toMatchObject({ status: 'idle' });
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe('an agent that acts on mail', () => {
  it('an agent that acts on mail fetches, answers and archives through the gateway a prompt names, within its turn', async () => {
    const seen: string[] = [];
    const inbox = new Set(['filesystem:a', 'filesystem:b']);
    const server = http.createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => {
        text += chunk;
      });
      request.on('end', () => {
        const body = JSON.parse(text) as { message_ref?: string; message_refs?: string[] };
        const operation = request.url?.split('/').pop() ?? '';
        seen.push(operation);
        for (const ref of operation === 'archive' ? (body.message_refs ?? []) : []) inbox.delete(ref);
        const messages = [...inbox].map((ref) => ({ message_ref: ref }));
        const message = { message_ref: body.message_ref, subject: 'ping', body_text: 'hello' };
        response.end(JSON.stringify(operation === 'list' ? { messages } : { message }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
    const pane = await world.start(['--act-on-mail', '--turn', '0', '--reply', 'pong']);
    await pane.paste(`You have mail.\ngateway.base_url: ${base}\n- POST ${base}/v1/mail/list\n`);
    await pane.press('Enter');
    await pane.control.event('turn_finished');
    expect(inbox.size).toBe(0);
    expect(seen).toEqual(['list', 'read', 'reply', 'archive', 'read', 'reply', 'archive']);
    expect(pane.records('mail_archived')).toHaveLength(2);
    await pane.shows(/I processed 2 of 2 messages/);
    server.close();
  });
});
