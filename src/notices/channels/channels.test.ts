import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../../test/notices/support/receiver.ts';
import { codesOf, NEED_KINDS, WEBHOOK_FORMATS } from '../../domain/index.ts';
import { noticesPlace } from '../notices.testing.ts';
import type { NeedRow } from '../outbox/need.ts';
import type { NoticeRow } from '../outbox/outbox.ts';
import type { Sending } from './channel.ts';
import { noticeOf } from './notice-text.ts';
import { STATUS_LINE, statusLine, statusLineFile } from './status-line.ts';
import { WEBHOOK } from './webhook.ts';
import { WEBHOOK_BODIES } from './webhook-bodies.ts';

const secret = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;
const need = (over: Partial<NeedRow> = {}): NeedRow => ({
  id: 1,
  owner: 'host',
  key: 'dialog:ana',
  kind: 'dialog',
  agent: 'ana',
  person: null,
  words: 'the secret words of an agent',
  command: 'rouse answer ana',
  href: '/agents/ana',
  since_utc: null,
  writer: null,
  opened_at_ms: 0,
  over_at_ms: null,
  ...over,
});
const notice = (text = false, over: Partial<NeedRow> = {}) =>
  noticeOf(need(over), { uid: 'u1', sendings: 0 } as NoticeRow, text);

let place: ReturnType<typeof noticesPlace>;
let receiver: Receiver;
beforeEach(async () => {
  place = noticesPlace();
  receiver = await Receiver.start();
  receiver.secret = secret;
});
afterEach(async () => {
  await receiver.stop();
  place.remove();
});

const sending = (url: string): Sending<'webhook'> => ({
  target: { url, format: 'standard', secret },
  notice: notice(),
  receipt: null,
  onShow: () => [notice()],
  directory: place.directory,
  now: new Date(),
  signal: new AbortController().signal,
});

describe('channels', () => {
  it('a notice says who and which kind, and nothing that an agent wrote', () => {
    for (const kind of NEED_KINDS)
      for (const format of codesOf(WEBHOOK_FORMATS)) {
        const target = { url: 'https://x.example', format, secret, chat: '1' };
        const body = JSON.stringify(WEBHOOK_BODIES[format](notice(false, { kind }), 'need.opened', target));
        expect(body).toContain('ana ');
        expect(body).not.toContain('secret words');
        const full = JSON.stringify(WEBHOOK_BODIES[format](notice(true, { kind }), 'need.opened', target));
        expect(full).toContain('secret words');
      }
  });

  it('a webhook is signed, and what opened and what is over have the same notice', async () => {
    await WEBHOOK.send(sending(receiver.url));
    await WEBHOOK.takeBack(sending(receiver.url));
    expect(receiver.accepted.map(({ type, data }) => [type, data.notice_id])).toEqual([
      ['need.opened', 'u1'],
      ['need.over', 'u1'],
    ]);
    expect(receiver.forged).toBe(0);
  });

  it('a redirect of a webhook is not followed', async () => {
    receiver.behave = () => 'redirect';
    await expect(WEBHOOK.send(sending(receiver.url))).rejects.toThrow('redirects are not followed');
    expect(receiver.followed).toBe(0);
  });

  it('a webhook that returns an error, or cannot be reached, is reported without its URL', async () => {
    receiver.behave = () => 'error';
    await expect(WEBHOOK.send(sending(receiver.url))).rejects.toThrow('the webhook returned 500');
    const nowhere = sending('http://127.0.0.1:1/very-secret');
    const error = await WEBHOOK.send(nowhere).then(String, String);
    expect(error).toContain('cannot be reached');
    expect(error).not.toContain('very-secret');
  });

  it('a webhook that hangs is given up when its sender stops', async () => {
    receiver.behave = () => 'hang';
    const stop = new AbortController();
    const sent = WEBHOOK.send({ ...sending(receiver.url), signal: stop.signal });
    stop.abort();
    await expect(sent).rejects.toThrow();
  });

  it('chats get nothing when a need is over, and mention no one', () => {
    const target = { url: 'https://x.example', format: 'slack' as const, secret };
    expect(WEBHOOK_BODIES.slack(notice(), 'need.over', target)).toBeUndefined();
    const { text } = WEBHOOK_BODIES.slack(notice(true, { words: '<!channel> &' }), 'need.opened', target)!;
    expect(text).toContain('&lt;!channel&gt; &amp;');
    expect(WEBHOOK_BODIES.discord(notice(), 'need.opened', target)).toMatchObject({
      allowed_mentions: { parse: [] },
    });
  });

  it('the status line never holds what tmux would run or take as a style', () => {
    const bad = notice(false, { agent: 'a#(touch /tmp/x)#[fg=red]\u0007' });
    expect(statusLine([bad])).not.toMatch(/[#\u0000-\u001f]/);
    expect(statusLine(Array.from({ length: 5 }, () => notice()))).toMatch(/2 more$/);
  });

  it('the status line is one line of a private file, and empty when nothing is open', async () => {
    const on = { ...sending(''), target: {} };
    await STATUS_LINE.send(on);
    const file = statusLineFile(place.directory);
    expect(fs.readFileSync(file, 'utf8')).toBe('ana asks you something\n');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    await STATUS_LINE.takeBack({ ...on, onShow: () => [] });
    expect(fs.readFileSync(file, 'utf8')).toBe('\n');
    expect(fs.readdirSync(place.directory).map((name) => path.basename(name))).toEqual([
      'status-line',
      'status-line.lock',
    ]);
  });
});
