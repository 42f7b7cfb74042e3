import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeClock } from '../../src/base/index.ts';
import { waitsSweep } from '../../src/fleet/waits/index.ts';
import { MailSessions } from '../fleet-mail/mail-world.ts';
import { startFleet, type TestFleet } from '../support/fleet.ts';

let fleet: TestFleet;
let sessions: MailSessions;
beforeAll(async () => {
  fleet = await startFleet();
  sessions = new MailSessions(fleet);
});
afterAll(async () => {
  await sessions.end();
  await fleet.stop();
});

const pass = (clock = new FakeClock(new Date().toISOString())) =>
  waitsSweep(clock).run({ sql: fleet.sql, dryRun: false, signal: new AbortController().signal });

describe('who waits for whom on a fleet server', () => {
  it('mail of agents that wait for each other is reported once, whatever the replicas and restarts', async () => {
    const { orgId } = await fleet.tenant('circle');
    const open = async (name: string) => sessions.open(await sessions.bind(name, { orgId }));
    const [ana, ben] = [await open('ana'), await open('ben')];
    const ask = (from: typeof ana, to: typeof ana, more: object = {}) =>
      from.send({
        to: [to.address],
        subject: `to ${to.address}`,
        body_content: '',
        expects_answer: true,
        ...more,
      });
    await ask(ana, ben, { answer_by: '2020-01-01T00:00:00Z' });
    const { message } = await ask(ben, ana);
    const inbox = async (mailbox: typeof ana): Promise<string[]> =>
      (await mailbox.list()).messages
        .map(({ subject }) => subject)
        .filter((each) => /^(You wait|Overdue)/.test(each));
    // Two servers at once, and then another that was started again.
    await Promise.all([pass(), pass()]);
    await pass();
    for (const each of [ana, ben])
      expect((await inbox(each)).toSorted()).toEqual([
        'Overdue: ana waits for ben',
        expect.stringMatching(/^You wait for each other: (ana → ben → ana|ben → ana → ben)$/),
      ]);
    await ana.archive([message.message_ref]);
    expect(await pass()).toMatchObject({ circles: 0, overdue: 0 });
  });
});
