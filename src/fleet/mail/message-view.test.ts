import { expect, it } from 'vitest';
import { type Envelope, plainBody, type ViewRow, viewMessage } from './message-view.ts';

const ana = { address: 'ana@default.fleet', principal_id: 'HOUMAO-ana' };
const envelope = {
  message_id: 'msg-2',
  thread_id: 'msg-1',
  in_reply_to: 'msg-1',
  references: ['msg-1'],
  created_at_utc: '2026-01-02T03:04:05.678Z',
  subject: 'Re: the build',
  from: ana,
  to: [{ address: 'ben@default.fleet', principal_id: 'HOUMAO-ben' }],
  cc: [],
  reply_to: [],
  attachments: [{ attachment_id: 'a1', media_type: 'text/plain', path: '/secret/notes.txt' }],
  headers: {},
} as unknown as Envelope;
const row: ViewRow = {
  seq: 7,
  box: 'inbox',
  is_read: false,
  is_answered: true,
  envelope,
  body_preview: 'yes',
};

it('a message of the fleet names itself, its thread and what it replies to by refs of the fleet', () => {
  expect(viewMessage(row)).toMatchObject({
    message_ref: 'fleet:msg-2',
    thread_ref: 'fleet:msg-1',
    in_reply_to_ref: 'fleet:msg-1',
  });
  const first = viewMessage({ ...row, envelope: { ...envelope, in_reply_to: null } });
  expect(first.in_reply_to_ref).toBeNull();
});

it('the flags of a message are those of the mailbox that looks at it', () => {
  expect(viewMessage(row)).toMatchObject({ read: false, unread: true, answered: true, archived: false });
  const archived = viewMessage({ ...row, box: 'archive', is_read: true });
  expect(archived).toMatchObject({ box: 'archive', archived: true, read: true, unread: false });
});

it('a body that the page had no room for is left out, and a byte order mark at its start is kept', () => {
  expect(viewMessage(row)).not.toHaveProperty('body_text');
  expect(viewMessage({ ...row, body: null })).not.toHaveProperty('body_text');
  expect(viewMessage({ ...row, body: '>' })).toMatchObject({ body_text: '' });
  expect(viewMessage({ ...row, body: '>\ufeffyes' })).toMatchObject({ body_text: '\ufeffyes' });
  expect(plainBody('>>quoted')).toBe('>quoted');
});

it('an attachment of the fleet has no path of the host that sent it', () => {
  const [attachment] = viewMessage(row).attachments;
  expect(attachment).toEqual({ attachment_id: 'a1', kind: 'transport_owned', media_type: 'text/plain' });
});
