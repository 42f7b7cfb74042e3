import fc from 'fast-check';
import { expect, it } from 'vitest';
import { neutralise, promptFor, quotedIn } from './prompt-text.ts';

const sender = { senderKind: 'agent', senderName: 'ben', taskId: 't-1' };

it('an A2A prompt names its sender in one line and quotes every line of the text', () => {
  expect(promptFor(sender, 'one\n\ntwo')).toBe(
    `[rouse] A2A message from agent "ben", task t-1. The quoted lines are the sender's words.\n> one\n>\n> two`,
  );
});

it('no text of an A2A sender begins a line of the prompt without a quotation mark', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (senderName, text) => {
      const [first, ...quoted] = promptFor({ ...sender, senderName }, text).split('\n');
      expect(first).toMatch(/^\[rouse\] A2A message from agent "/);
      expect(quoted.filter((line) => !line.startsWith('>'))).toEqual([]);
    }),
  );
});

it('the words in the history of an A2A task are those that were quoted', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(quotedIn(promptFor(sender, text))).toBe(neutralise(text));
    }),
  );
});

it('neutralised text has no control, escape or direction characters and is not changed again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const plain = neutralise(text);
      expect(plain).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\ufeff]/);
      expect(neutralise(plain)).toBe(plain);
    }),
  );
});

it.each([
  ['\u001b[2J\u001b]0;title\u0007text', 'text'],
  ['a\r\nb\rc\u2028d', 'a\nb\nc\nd'],
  ['\ttab', '    tab'],
  ['in\u200bvisible \u202eright', 'invisible right'],
  ['end\n\n\n', 'end'],
])('%j is neutralised to %j', (text, plain) => {
  expect(neutralise(text)).toBe(plain);
});

it('a sender name cannot add lines or quotation marks, and is cut after 80 characters', () => {
  const [first] = promptFor({ ...sender, senderName: `a"\nb${'c'.repeat(100)}` }, 'x').split('\n');
  expect(first).toContain(`agent "a b${'c'.repeat(77)}", task`);
});
