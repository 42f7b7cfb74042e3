import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProgram } from '../../src/base/index.ts';
import type { Channel } from '../../src/domain/index.ts';
import type { Sending } from '../../src/notices/channels/channel.ts';
import { desktopTarget, senderOf, type Target } from '../../src/notices/index.ts';
import { FULL } from '../support/sample.ts';

/** Programs that receive notices for real: a notification daemon on a display of its own, and a mail server of Debian. */
const has = (...names: string[]): boolean =>
  names.every((name) => findProgram(name, process.env, '/') !== undefined);
const children: ChildProcess[] = [];
let directory: string;

beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'channels-'));
});
afterAll(() => {
  for (const each of children) each.kill('SIGKILL');
  fs.rmSync(directory, { recursive: true, force: true });
});

function start(program: string, words: string[], env: NodeJS.ProcessEnv = process.env): ChildProcess {
  const child = spawn(program, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  return child;
}

/** What it printed, once that has this in it. */
const printed = (child: ChildProcess, wanted: RegExp): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      text += String(chunk);
      if (wanted.test(text)) resolve(text);
    });
  });

const until = async (look: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await look())) await new Promise((resolve) => setTimeout(resolve, 50));
};

const sending = (target: Target, uid: string, receipt: string | null = null): Sending => ({
  target,
  notice: {
    ...{ uid, kind: 'dialog', agent: 'ana', title: 'ana asks you something', text: '<b>not bold</b> & more' },
    ...{ command: 'rouse answer ana', href: null, sinceUtc: '2026-01-01T00:00:00.000Z', sendings: 0 },
  },
  receipt,
  onShow: () => [],
  directory,
  now: new Date(),
  signal: new AbortController().signal,
});

describe.skipIf(!FULL && !has('Xvfb', 'dunst', 'notify-send', 'gdbus'))('a desktop', () => {
  it('a desktop shows a notice once, also if it is sent again, without its markup, and closes it', async () => {
    const bus = start('dbus-daemon', ['--session', '--print-address', '--nofork']);
    const address = (await printed(bus, /\n/)).trim();
    const display = start('Xvfb', ['-displayfd', '1', '-screen', '0', '640x480x8', '-nolisten', 'tcp']);
    const number = (await printed(display, /\d+\n/)).trim();
    const env = { ...process.env, DISPLAY: `:${number}`, DBUS_SESSION_BUS_ADDRESS: address };
    const dunst = start('dunst', ['-print'], env);
    let shown = '';
    dunst.stdout!.on('data', (chunk: Buffer) => {
      shown += String(chunk);
    });
    const displayed = (): string => {
      try {
        return execFileSync('dunstctl', ['count', 'displayed'], {
          env,
          encoding: 'utf8',
          stdio: 'pipe',
        }).trim();
      } catch {
        return 'not yet';
      }
    };
    await until(() => displayed() === '0');
    const sender = await senderOf('desktop');
    const target = desktopTarget(env);
    await sender.check(target, directory);
    await sender.send(sending(target, 'one'));
    // As after a crash that lost the number of the first.
    const receipt = await sender.send(sending(target, 'one'));
    await until(() => displayed() === '1');
    expect(shown).toContain("summary: 'ana asks you something'");
    expect(shown).toContain('&lt;b&gt;not bold&lt;/b&gt; &amp; more');
    await sender.takeBack(sending(target, 'one', receipt));
    await until(() => displayed() === '0');
  });

  it('without a desktop, and without its program, the reason is reported', async () => {
    const sender = await senderOf('desktop');
    const nowhere = {
      ...process.env,
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${directory}/none`,
      DISPLAY: ':none',
    };
    await expect(sender.send(sending(desktopTarget(nowhere), 'two'))).rejects.toThrow('notify-send');
    await expect(sender.check(desktopTarget({ PATH: directory }), directory)).rejects.toThrow(
      'not installed',
    );
  });
});

const SMTP = '/usr/bin/python3';
const hasSmtp = (): boolean => fs.existsSync('/usr/lib/python3/dist-packages/aiosmtpd');

describe.skipIf(!FULL && !hasSmtp())('a mail server', () => {
  it('a mail server gets one message with the id of its notice, and a refusal does not show the password', async () => {
    const port = await freePort();
    const server = start(SMTP, ['-u', '-m', 'aiosmtpd', '-n', '-l', `127.0.0.1:${port}`]);
    const arrived = printed(server, /END MESSAGE/);
    const channel: Channel = 'email';
    const sender = await senderOf(channel);
    const target = { to: 'ana@example.org', from: 'rouse@example.org', smtp_url: `smtp://127.0.0.1:${port}` };
    await until(() =>
      sender.check(target, directory).then(
        () => true,
        () => false,
      ),
    );
    await sender.send(sending(target, 'three'));
    const text = await arrived;
    for (const line of [
      'To: ana@example.org',
      'Subject: ana asks you something',
      'Message-ID: <three.1@rouse.invalid>',
    ])
      expect(text).toContain(line);
    expect(text).toContain('Auto-Submitted: auto-generated');
    const secret = { ...target, smtp_url: 'smtp://me:very-secret@127.0.0.1:1' };
    const refused = await sender.send(sending(secret, 'four')).then(String, String);
    expect(refused).toContain('cannot be reached');
    expect(refused).not.toContain('very-secret');
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
