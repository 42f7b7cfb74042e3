import { describe, expect, it } from 'vitest';
import { doMail, gaveUp, orderToWrite } from './do-mail.ts';

const offered = (...names: string[]) => names.map((name) => ({ name, schema: undefined }));
const ALL = ['mail_list', 'mail_read', 'mail_reply', 'mail_archive'].map((name) => `mcp__rouse__${name}`);
const WAKE = `You have open mail in your shared mailbox.\nUse ${ALL.join(', ')}.`;
const LISTED = '{"messages":[{"message_ref":"ref-1"}]}';
const READ =
  '{"message":{"message_ref":"ref-1","answered":false,"body_text":"Please answer with the word plum."}}';

describe('the stand-in for a model that does its mail', () => {
  it('the stand-in model lists, reads, replies, archives and stops, with nothing but what it was given', () => {
    const results = [LISTED, READ, '{"message_ref":"ref-2"}', '{"ok":true}'];
    const steps = results.map((_, at) => doMail(WAKE, results.slice(0, at), offered(...ALL)));
    expect(steps).toEqual([
      { call: 'mcp__rouse__mail_list', args: { archived: false } },
      { call: 'mcp__rouse__mail_read', args: { message_ref: 'ref-1' } },
      {
        call: 'mcp__rouse__mail_reply',
        args: { message_ref: 'ref-1', body_content: 'The word is plum.' },
      },
      { call: 'mcp__rouse__mail_archive', args: { message_refs: ['ref-1'] } },
    ]);
    expect(doMail(WAKE, results, offered(...ALL))).toEqual({ say: 'Done with 1.' });
  });

  it('the stand-in model does not reply again to what is answered', () => {
    const read = READ.replace('false', 'true');
    expect(doMail(WAKE, [LISTED, read], offered(...ALL))).toMatchObject({ call: 'mcp__rouse__mail_archive' });
  });

  it.each([
    ['under another name than before', WAKE, offered('mcp__rouse__letters'), []],
    ['of which the wake does not speak', WAKE.replaceAll('mcp__', 'mcp_'), offered(...ALL), []],
    ['twice', WAKE, offered(...ALL, 'mcp__other__mail_list'), []],
    ['that failed', WAKE, offered(...ALL), ['not_found: no such mailbox']],
  ])('the stand-in model gives up over a tool %s', (_what, prompt, tools, results) => {
    const { say: said } = doMail(prompt, results, tools) as { say: string };
    expect(gaveUp({ said })).toBe(true);
  });

  it('the stand-in model writes to the address it was given', () => {
    const step = doMail(orderToWrite('ben@houmao.localhost', 'plum'), [], offered('rouse_mail_send'));
    expect(step).toMatchObject({ call: 'rouse_mail_send', args: { to: ['ben@houmao.localhost'] } });
  });
});
