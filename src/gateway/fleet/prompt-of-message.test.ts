import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { promptOfMessage } from './prompt-of-message.ts';

const body = (...parts: unknown[]) => ({
  method: 'message/send',
  params: { message: { role: 'user', parts } },
});

describe('the prompt of an A2A message', () => {
  it.each([
    ['text as 0.3 writes it', [{ kind: 'text', text: 'hello' }], 'hello'],
    ['text as 1.0 writes it', [{ text: 'hello' }], 'hello'],
    ['several parts', [{ text: 'a' }, { text: 'b' }], 'a\n\nb'],
    [
      'a part that is not text',
      [{ text: 'see' }, { kind: 'file', mediaType: 'image/png' }],
      'see\n\n[a part of the message that is not text: file]',
    ],
    ['a command of the tool', [{ text: '/quit' }], 'Message: /quit'],
    ['a shell escape', [{ text: '  !rm -rf /' }], 'Message: !rm -rf /'],
    ['a mention of a file', [{ text: '@secrets.txt' }], 'Message: @secrets.txt'],
    ['control keys', [{ text: 'a\u001b[201~\u0003b\r\nc' }], 'a[201~b\nc'],
    ['a command behind control characters', [{ text: '\u0000\u200e/clear' }], 'Message: \u200e/clear'],
  ])('%s', (_, parts, prompt) => {
    expect(promptOfMessage(body(...parts))).toBe(prompt);
  });

  it.each([
    undefined,
    null,
    7,
    'x',
    [],
    {},
    { params: {} },
    body(),
    body({ text: '' }),
    body({ text: ' \u0007 ' }),
    { params: { message: { parts: 'x' } } },
  ])('refuses %j, which holds no text', (wrong) => {
    expect(() => promptOfMessage(wrong)).toThrow(expect.objectContaining({ code: 'invalid' }));
  });

  it('the prompt of a message has no control character, never begins like a command, and is the same each time', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.anything()), { minLength: 1 }),
        (texts) => {
          const message = body(...texts.map((text) => ({ text })), { text: 'end' });
          const prompt = promptOfMessage(message);
          expect(prompt).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
          expect(prompt).not.toMatch(/^[/!#@$&\s]/);
          expect(promptOfMessage(structuredClone(message))).toBe(prompt);
        },
      ),
    );
  });
});
