import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken, ensureOrg, registerWorkspace } from '../../src/fleet/index.ts';
import { PAGE_HEADER } from '../../src/wire/index.ts';
import { StandInAgent } from '../fleet/agents-stand-in.ts';
import { PageWorld, type Visitor } from './page-world.ts';
import { openDatabases } from './support/open-databases.ts';

const world = new PageWorld();
let me: Visitor;
let ana: string;

const until = async <T>(look: () => Promise<T | undefined | false | null>): Promise<T> => {
  for (;;) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

beforeAll(async () => {
  await world.open({ calm: true });
  const launched = await world.json('launch', 'scripted', 'ana', '--wake');
  ana = launched['agent_id'] as string;
  me = await world.visit();
}, 120_000);
afterAll(() => world.shut(), 60_000);

describe('the door', () => {
  it('a code for the page works once, and guesses are slowed down', async () => {
    const code = await world.code();
    expect((await world.send('POST', '/ui/api/session', {}, { code })).status).toBe(200);
    expect((await world.send('POST', '/ui/api/session', {}, { code })).status).toBe(401);
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => world.send('POST', '/ui/api/session', {}, { code: 'guess' })),
    );
    expect(answers.map(({ status }) => status)).toContain(429);
    expect((await world.send('POST', '/ui/api/session', {}, { code: await world.code() })).status).toBe(200);
  });

  it('the cookie is HttpOnly and Strict, and neither it nor the header is enough alone', async () => {
    const { headers } = await world.send('POST', '/ui/api/session', {}, { code: await world.code() });
    expect(headers['set-cookie']![0]).toMatch(
      /^rouse_page_\w+=\w{64}; Path=\/ui\/; HttpOnly; SameSite=Strict$/,
    );
    const { cookie, header } = me;
    expect((await world.send('GET', '/ui/api/snapshot', { cookie })).status).toBe(401);
    expect((await world.send('GET', '/ui/api/snapshot', { [PAGE_HEADER]: header })).status).toBe(401);
    expect((await world.as(me, 'GET', 'snapshot')).status).toBe(200);
  });

  it('another origin, another site and another host are refused; a followed link gets the document alone', async () => {
    const { cookie, header } = me;
    const mine = { cookie, [PAGE_HEADER]: header };
    const foreigners: Record<string, string>[] = [
      { origin: 'http://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { host: 'evil.example' },
    ];
    for (const foreign of foreigners)
      expect((await world.send('GET', '/ui/api/snapshot', { ...mine, ...foreign })).status).toBe(403);
    const link = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    expect((await world.send('GET', '/ui/api/snapshot', { ...mine, ...link })).status).toBe(403);
    expect([200, 503]).toContain((await world.send('GET', '/ui/', link)).status);
    expect((await world.send('POST', '/ui/api/codes', { 'sec-fetch-site': 'same-origin' }, {})).status).toBe(
      403,
    );
  });

  it('every response of the page has the policy, with nothing unsafe in it', async () => {
    for (const path of ['/ui/', '/ui/mail', '/ui/api/snapshot', '/ui/assets/none.js']) {
      const { headers } = await world.send('GET', path);
      expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
      expect(headers['content-security-policy']).not.toContain('unsafe');
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
    }
    expect(await world.send('GET', '/')).toMatchObject({ status: 302, headers: { location: '/ui/' } });
    expect((await world.send('GET', '/ui/assets/..%2f..%2fpackage.json')).status).toBe(404);
  });

  it('the page refuses a lesser role, and a revoked session ends', async () => {
    const viewer = await world.visit('view', 'vera');
    expect((await world.as(viewer, 'GET', 'snapshot')).status).toBe(200);
    const refused = await world.act(viewer, 'agents/ana/prompt', { prompt: 'no' });
    expect(refused).toMatchObject({ status: 403, body: { error: { facts: { needed: 'operate' } } } });
    const answerer = await world.visit('answer', 'vera');
    expect((await world.act(answerer, 'agents/ana/interrupt')).status).toBe(403);
    await until(async () => {
      const { body } = await world.as(me, 'GET', 'audit');
      const refusals = (body['entries'] as { action: string; name: string }[]).filter(
        ({ action, name }) => action === 'refused' && name === 'vera',
      );
      return refusals.length === 2;
    });
    const revoked = await world.send('POST', '/ui/api/revoke', {}, { name: 'vera' });
    expect(revoked.body).toEqual({ sessions: 2, codes: 0, devices: 0 });
    expect((await world.as(viewer, 'GET', 'snapshot')).status).toBe(401);
  });
});

describe('the host', () => {
  it('the page shows an agent that no fleet knows, with its facts, timeline, queue and reminders', async () => {
    const { body } = await world.as(me, 'GET', 'snapshot');
    expect(body['agents']).toMatchObject([{ name: 'ana', id: ana, here: true, gateway: { alive: true } }]);
    const facts = await world.as(me, 'GET', 'agents/ana');
    expect(facts.body).toMatchObject({ out_of_reach: null, may: { prompt: true, keys: true } });
    for (const rest of ['timeline', 'queue', 'reminders', 'screen'])
      expect((await world.as(me, 'GET', `agents/ana/${rest}`)).status, rest).toBe(200);
    expect((await world.as(me, 'GET', 'agents/nobody')).status).toBe(404);
  });

  it('many questions about an agent leave the same few databases open as the first', async () => {
    const open = new Set<number>();
    for (let n = 0; n < 12; n++) {
      for (const rest of ['agents/ana', 'agents/ana/timeline', 'mailboxes', 'mail'])
        expect((await world.as(me, 'GET', rest)).status, rest).toBe(200);
      open.add(openDatabases());
    }
    expect(open.size, [...open].join(', ')).toBe(1);
  });

  it('the page says why an agent that has mail was woken, as its ledger has it', async () => {
    await world.act(me, 'mail/send', { to: ['ana'], subject: 'Hello', body: 'Look at this.' });
    const why = await until(async () => {
      const { body } = await world.as(me, 'GET', 'agents/ana');
      return /^Woken/.test(body['why'].sentence) && (body['why'] as { sentence: string });
    });
    expect(why.sentence).toMatch(/^Woken for 1 open message: request gwreq-\S+ was submitted after \d+/);
  });

  it('a prompt is typed once however often it is clicked; its ledger has the rest, the audit who clicked', async () => {
    const action_id = randomUUID();
    const prompt = 'say hello';
    const click = () => world.as(me, 'POST', 'agents/ana/prompt', { action_id, prompt });
    const [first, second] = await Promise.all([click(), click()]);
    expect([first.body['repeated'], second.body['repeated']].sort()).toEqual([false, true]);
    expect((await click()).body).toMatchObject({ repeated: true, ref: first.body['ref'] });
    const other = await world.as(me, 'POST', 'agents/ana/prompt', { action_id, prompt: 'something else' });
    expect(other.status).toBe(409);
    const ledger = await until(async () => {
      const { body } = await world.as(me, 'GET', `agents/ana/ledger/${first.body['ref']}`);
      return body['stages'].some(({ stage }: { stage: string }) => stage === 'turn_finished') && body;
    });
    expect(ledger['stages'].map(({ stage }: { stage: string }) => stage)).toEqual(
      expect.arrayContaining(['accepted', 'typed', 'submitted', 'turn_finished']),
    );
    const audit = await world.send('GET', '/ui/api/audit');
    expect(
      audit.body['entries'].filter(({ action }: { action: string }) => action === 'prompt'),
    ).toMatchObject([{ name: 'nina', role: 'operate', target: 'ana', outcome: 'ok' }]);
  });

  it('a dialog is answered by its own key, and a choice made for another dialog presses nothing', {
    timeout: 60_000,
  }, async () => {
    await world.act(me, 'agents/ana/prompt', { prompt: 'ask me [[dialog=permission]]' });
    // While it is being drawn it differs.
    const dialog = await until(async () => {
      const seen = (await world.as(me, 'GET', 'agents/ana/screen')).body['dialog'];
      return seen?.kind === 'permission' && seen.choices.length === 5 && seen;
    });
    expect(dialog['choices'].map(({ key }: { key: string }) => key)).toEqual([
      '1',
      '2',
      '3',
      'Enter',
      'Escape',
    ]);
    const snapshot = await until(async () => {
      const { body } = await world.as(me, 'GET', 'snapshot');
      return body['needs_you'].length > 0 && body;
    });
    expect(snapshot['needs_you']).toMatchObject([{ kind: 'dialog', agent: 'ana' }]);
    const stale = await world.act(me, 'agents/ana/dialog', { dialog_hash: '0'.repeat(32), key: '1' });
    expect(stale).toMatchObject({
      status: 409,
      body: { error: { facts: { error_code: 'dialog_changed' } } },
    });
    const unknown = await world.act(me, 'agents/ana/dialog', { dialog_hash: dialog['hash'], key: 'q' });
    expect(unknown.status).toBe(409);
    const pressed = await world.act(me, 'agents/ana/dialog', { dialog_hash: dialog['hash'], key: '3' });
    expect(pressed).toMatchObject({ status: 200, body: { status: 'done' } });
    expect(pressed.body['sentence']).toMatch(/^Sent 3 \(.*\) to ana; the dialog is gone\.$/);
    await until(async () => (await world.as(me, 'GET', 'agents/ana/screen')).body['dialog'] === null);
    const again = await world.act(me, 'agents/ana/dialog', { dialog_hash: dialog['hash'], key: '1' });
    expect(again).toMatchObject({
      status: 409,
      body: { error: { facts: { error_code: 'dialog_changed' } } },
    });
  });

  it('of two people who answer a request at once on the page one wins, and the other learns who', async () => {
    const { sql } = world.server;
    const { id: orgId } = await ensureOrg(sql, 'default');
    const far = await registerWorkspace(sql, { orgId, agentId: 'far', name: 'far', sessionId: 's' });
    const asked = await world.send(
      'POST',
      '/requests',
      { authorization: `Bearer ${far.token}` },
      { kind: 'approval', recipient_type: 'user', title: 'May I?' },
    );
    const olga = await world.visit('answer', 'olga');
    const answers = await Promise.all(
      [me, olga].map((who) =>
        world.act(who, `requests/${asked.body['request_id']}/respond`, { action: 'approved', note: null }),
      ),
    );
    const [won, lost] = answers.toSorted((a, b) => a.status - b.status);
    expect([won?.status, lost?.status]).toEqual([200, 409]);
    expect(lost?.body['error'].message).toMatch(/^already answered by (nina|olga): approved$/);
  });

  it('a link to answer requests answers none that another person or another org is asked', async () => {
    const { sql } = world.server;
    const { id: orgId } = await ensureOrg(sql, 'away');
    await createToken(sql, { kind: 'user', orgId, subject: 'alice' });
    const { token } = await registerWorkspace(sql, { orgId, agentId: 'off', name: 'off', sessionId: 's' });
    const asked = await world.send(
      'POST',
      '/requests',
      { authorization: `Bearer ${token}` },
      { kind: 'approval', recipient_type: 'user', recipient_id: 'alice', title: 'May I, alice?' },
    );
    const respond = (who: typeof me) =>
      world.act(who, `requests/${asked.body['request_id']}/respond`, { action: 'approved', note: null });
    expect((await respond(await world.visit('answer', 'mia', 'away'))).status).toBe(403);
    expect((await respond(await world.visit('answer', 'alice'))).status).toBe(403);
    expect((await respond(await world.visit('answer', 'alice', 'away'))).status).toBe(200);
  });

  it('an attachment is handed out as it was sent: a copy to everybody, a file it refers to only while it is the same', async () => {
    const note = path.join(world.directory, 'note.txt');
    fs.writeFileSync(note, 'as it was');
    await world.json('send', 'ana', 'files', '--body', 'x', '--attach', note, '--attach-copy', note);
    const list = await world.as(me, 'GET', 'mail?mailbox=ana@houmao.localhost&q=files');
    const { message } = (
      list.body['conversations'] as { message: { message_ref: string; attachments: Kept[] } }[]
    )[0]!;
    type Kept = { attachment_id: string; kind: string; locator: string };
    const of = (kind: string): Kept => message.attachments.find((each) => each.kind === kind)!;
    const get = (who: Visitor, { attachment_id: attachment }: Kept) => {
      const query = new URLSearchParams({
        mailbox: 'ana@houmao.localhost',
        ref: message.message_ref,
        attachment,
      });
      return world.send('GET', `/ui/api/mail/attachment?${query}`, {
        cookie: who.cookie,
        [PAGE_HEADER]: who.header,
      });
    };
    const viewer = await world.visit('view', 'vic');
    const [reference, copy] = [of('path_ref'), of('managed_copy')];
    expect((await get(viewer, copy)).body).toEqual({ text: 'as it was' });
    expect((await get(viewer, reference)).status).toBe(403);
    expect((await get(me, reference)).body).toEqual({ text: 'as it was' });
    const secret = path.join(world.directory, 'secret');
    fs.writeFileSync(secret, 'mine');
    fs.rmSync(note);
    fs.symlinkSync(secret, note);
    expect(await get(me, reference)).toMatchObject({ status: 409 });
    fs.rmSync(copy.locator);
    fs.symlinkSync(secret, copy.locator);
    expect(await get(viewer, copy)).toMatchObject({ status: 404 });
  });

  it('hostile words are text in mail, in search and in threads', async () => {
    const subject = '<script>alert(1)</script> \u202Eevil';
    const body = `<img src=x onerror=alert(1)>\n[link](javascript:alert(1)) ${'x'.repeat(300_000)}`;
    const sent = await world.act(me, 'mail/send', { to: ['ana'], subject, body });
    expect(sent.status).toBe(200);
    const list = await world.as(me, 'GET', 'mail?mailbox=ana%40houmao.localhost');
    const { message: found, mailbox } = list.body['conversations'][0];
    expect([found.subject, mailbox]).toEqual([subject, 'ana@houmao.localhost']);
    const thread = await world.as(
      me,
      'GET',
      `mail/thread?mailbox=ana%40houmao.localhost&thread=${encodeURIComponent(found['thread_ref'])}`,
    );
    expect(thread.body).toMatchObject({ messages: [{ body_cut: true }], refs: [found['message_ref']] });
    expect(thread.headers['content-type']).toMatch(/^application\/json/);
    const viewer = await world.visit('view', 'vera');
    const far = await world.as(
      viewer,
      'GET',
      `mail/receipts?mailbox=ana%40houmao.localhost&thread=${encodeURIComponent(found['thread_ref'])}`,
    );
    expect(far.body['messages']).toMatchObject([
      { receipts: [{ agent: 'ana', read: false, answered: false }] },
    ]);
    const search = await world.as(me, 'GET', `search?q=${encodeURIComponent('alert from:operator')}`);
    expect(search.body['hits']).toMatchObject([{ kind: 'message', title: subject }]);
    expect((await world.as(me, 'GET', 'search?q=before%3Anonsense%20%25_%5C')).status).toBe(200);
  });

  it('the page of an agent whose session is gone says that it cannot be woken, how to fix it, and what was last seen of it', async () => {
    const { tmux_session_name: session } = await world.json('launch', 'scripted', 'bob', '--wake');
    const words = async (): Promise<string[]> =>
      (await world.as(me, 'GET', 'agents/bob/timeline?kinds=state')).body['items'].map(
        ({ title }: { title: string }) => title,
      );
    await until(async () => (await words()).includes('idle'));
    world.tmux('kill-session', '-t', `=${session}`);
    const facts = await until(async () => {
      const { body } = await world.as(me, 'GET', 'agents/bob');
      return body['row'].state === 'gone' && body;
    });
    expect(facts['what_will_happen'].mail).toMatch(
      /^The mail is stored; nothing wakes bob for it: .* is gone; /,
    );
    expect(facts['what_will_happen'].prompt).toMatch(/^Nothing can be typed into bob/);
    expect(facts['may']).toMatchObject({ mail: true, prompt: false });
    const reminders = await until(async () => {
      const answer = await world.as(me, 'GET', 'agents/bob/reminders');
      return answer.status !== 200 && answer;
    });
    expect(reminders).toMatchObject({
      status: 503,
      body: { error: { hint: expect.stringContaining('rouse agents relaunch bob') } },
    });
    expect(await words()).toContain('idle');
  });

  it('a gateway that runs and does not answer is not called missing, and nothing is done', async () => {
    const mute = await StandInAgent.open(world, 'mute');
    mute.claims = 'someone else';
    const prompted = await world.act(me, 'agents/mute/prompt', { prompt: 'hello' });
    expect(prompted).toMatchObject({
      status: 503,
      body: { error: { message: expect.stringContaining('the gateway of mute does not answer') } },
    });
    expect(mute.seen).toEqual([]);
    mute.close();
  });
});
