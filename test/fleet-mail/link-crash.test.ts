import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ANY_FILE, type MailboxBinding } from '../../src/mail/index.ts';
import type { Mailbox } from '../../src/mail/port.ts';
import { bundle } from '../support/bundle.ts';
import { startFleet, type TestFleet } from '../support/fleet.ts';
import { sampled } from '../support/sample.ts';
import { LinkedHost } from './link-world.ts';
import { MailSessions } from './mail-world.ts';

const root = path.resolve(import.meta.dirname, '../..');
const built = fs.mkdtempSync(path.join(root, 'node_modules', '.mail-link-'));
const program = path.join(built, 'carry.mjs');
let fleet: TestFleet;
let sessions: MailSessions;
let host: LinkedHost;
let linked: MailboxBinding;
let ana: Mailbox;
let ben: Mailbox;
let world = 0;
beforeAll(async () => {
  await bundle(path.join(import.meta.dirname, 'carry-program.ts'), program, { packages: 'external' });
  fleet = await startFleet();
});
afterAll(async () => {
  await fleet.stop();
  fs.rmSync(built, { recursive: true, force: true });
});
beforeEach(async () => {
  const { orgId } = await fleet.tenant(`link-${++world}`);
  sessions = new MailSessions({ url: fleet.url, agent: (name) => fleet.agent(name, { orgId }) });
  host = new LinkedHost(sessions);
  linked = await host.link('ana');
  ana = await host.open(linked);
  ben = await sessions.open(await sessions.bind('ben'));
});
afterEach(async () => {
  await host.end();
  await sessions.end();
});

/** How it ended: a code, or the signal that killed it. */
async function carry(crashAt = ''): Promise<unknown> {
  const child = spawn(process.execPath, [program, JSON.stringify(linked)], {
    env: { ...process.env, ROUSE_CRASH_AT: crashAt },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = await once(child, 'exit');
  return signal ?? code;
}

/** Every durable step of carrying both ways, and how often it happens in one pass over the prepared mail. */
const STEPS = [
  ...['fleet.mail-held', 'link.in-outbox', 'mailbox.change.begin', 'mailbox.change.signalled'],
  ...['fleet.mail-trying', 'fleet.mail-taken', 'link.refusal-reported', 'link.brought'],
  ...['mailbox.deliver.begin', 'mailbox.deliver.rows', 'mailbox.deliver.signalled'],
].flatMap((step) => [step, `${step}@2`]);
/** These happen once. */
const ONCE = new Set(['link.refusal-reported@2']);

describe('mail between a host and a fleet', { timeout: 300_000 }, () => {
  it.each(
    sampled(
      import.meta.filename,
      STEPS.filter((step) => !ONCE.has(step)),
      4,
    ),
  )(
    'mail between a host and a fleet is neither lost nor doubled when its carrier is killed at %s',
    async (step) => {
      const domain = ben.address.split('@')[1];
      const note = path.join(sessions.directory, 'note.txt');
      fs.writeFileSync(note, 'kept');
      const files = { attachments: [{ path: note, copy: true }] };
      const mail = (subject: string) => ({ to: [ben.address], subject, body_content: `about ${subject}` });
      await ana.send({ ...mail('out 1'), ...files }, ANY_FILE);
      await ana.send(mail('out 2'));
      await ana.send({ ...mail('refused'), to: [`nobody@${domain}`] });
      await ben.send({ ...mail('in 1'), to: ['ana'], ...files }, ANY_FILE);
      await ben.send({ ...mail('in 2'), to: ['ana'] });
      expect(await carry(step)).toBe('SIGKILL');
      expect(await carry()).toBe(0);
      expect(await carry()).toBe(0);
      const of = async (mailbox: Mailbox) =>
        (await mailbox.list()).messages.map(({ subject }) => subject).toSorted();
      expect(await of(ben)).toEqual(['out 1', 'out 2']);
      expect(await of(ana)).toEqual(['Re: refused', 'in 1', 'in 2']);
      expect(await ana.outbox!.list()).toMatchObject([{ subject: 'refused', state: 'refused' }]);
      const [first] = (await ana.search({ text: '"in 1"' })).messages;
      expect(fs.readFileSync(first!.attachments[0]!.locator!, 'utf8')).toBe('kept');
    },
  );
});
