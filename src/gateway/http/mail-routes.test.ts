import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Ending, systemClock } from '../../base/index.ts';
import { initMailStore, openMailbox, openMailStore } from '../../mail/index.ts';
import { testGateway } from '../testing.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

const ADDRESS = 'bob@test';
const REF = 'filesystem:msg-20260416T091402Z-0123456789abcdef0123456789abcdef';

/** Every mail route, with a body it takes. */
const ROUTES: [string, string, object | undefined][] = [
  ['GET', 'status', undefined],
  ['POST', 'list', {}],
  ['POST', 'check', {}],
  ['POST', 'search', { text: 'words' }],
  ['POST', 'peek', { message_ref: REF }],
  ['POST', 'read', { message_ref: REF }],
  ['POST', 'send', { to: [ADDRESS], subject: 's', body_content: 'b' }],
  ['POST', 'post', { subject: 's', body_content: 'b' }],
  ['POST', 'reply', { message_ref: REF, body_content: 'b' }],
  ['POST', 'mark', { message_refs: [REF], read: true }],
  ['POST', 'move', { message_refs: [REF], destination_box: 'later' }],
  ['POST', 'archive', { message_refs: [REF] }],
];

async function overRealStore() {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-mail-routes-'));
  ending.add(() => fs.rmSync(directory, { recursive: true, force: true }));
  const root = path.join(directory, 'root');
  const store = initMailStore({ root });
  store.register({ address: ADDRESS, owner_principal_id: 'bob' });
  await store.close();
  const binding = {
    transport: 'filesystem',
    principal_id: 'bob',
    address: ADDRESS,
    filesystem_root: root,
    bindings_version: '1',
    mailbox_kind: 'in_root',
    mailbox_path: path.join(root, 'mailboxes', ADDRESS),
  } as const;
  const on = await testGateway(ending, {
    config: {
      mailboxBinding: () => binding,
      openMailbox: (wanted) => openMailbox(wanted, { clock: systemClock }),
    },
  });
  const all = async () => {
    const answers = [];
    for (const [method, name, body] of ROUTES) {
      const { status, body: answer } = await on.call(method, `/v1/mail/${name}`, body);
      answers.push({ name, status, error: answer.error?.facts?.error_code });
    }
    return answers;
  };
  return { root, on, all };
}

const each = (status: number, error: string) => ROUTES.map(([, name]) => ({ name, status, error }));

it('a missing mail root is a failure of the transport on every route, until it is back', async () => {
  const { root, on, all } = await overRealStore();
  expect((await on.call('GET', '/v1/mail/status')).status).toBe(200);
  fs.renameSync(root, `${root}.away`);
  expect(await all()).toEqual(each(502, 'mail_transport'));
  fs.renameSync(`${root}.away`, root);
  expect((await on.call('GET', '/v1/mail/status')).status).toBe(200);
  expect((await on.call('POST', '/v1/mail/peek', { message_ref: REF })).status).toBe(404);
});

it.each(['before', 'after'])(
  'a mailbox unregistered %s it was opened is a missing binding on every route',
  async (when) => {
    const { root, on, all } = await overRealStore();
    if (when === 'after') await on.call('GET', '/v1/mail/status');
    const store = openMailStore({ root });
    store.unregister(ADDRESS, 'deactivate');
    await store.close();
    expect(await all()).toEqual(each(422, 'mail_no_binding'));
  },
);

it('archived mail is found in its box, and a filter that nothing can match is refused', async () => {
  const { on } = await overRealStore();
  const posted = await on.call('POST', '/v1/mail/post', { subject: 'done', body_content: 'b' });
  await on.call('POST', '/v1/mail/archive', { message_refs: [posted.body.message.message_ref] });
  const archived = await on.call('POST', '/v1/mail/list', { archived: true });
  expect(archived.body).toMatchObject({ box: 'archive', messages: [{ subject: 'done' }] });
  const wrong = await on.call('POST', '/v1/mail/list', { archived: true, box: 'inbox' });
  expect(wrong).toMatchObject({
    status: 422,
    body: { error: { message: expect.stringMatching(/^box must/) } },
  });
});

it('a search has pages, and an unknown cursor is refused', async () => {
  const { on } = await overRealStore();
  for (const subject of ['one', 'two', 'three'])
    await on.call('POST', '/v1/mail/post', { subject, body_content: 'word' });
  const search = (more: object) => on.call('POST', '/v1/mail/search', { text: 'word', limit: 2, ...more });
  const first = (await search({})).body;
  expect(first).toMatchObject({ message_count: 2, truncated: true, next_cursor: expect.any(String) });
  const rest = (await search({ cursor: first.next_cursor })).body;
  expect(rest).toMatchObject({ messages: [{ subject: 'one' }], truncated: false, next_cursor: null });
  expect((await search({ cursor: 'nonsense' })).status).toBe(422);
});
