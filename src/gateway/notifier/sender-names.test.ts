import { describe, expect, it } from 'vitest';
import { OPERATOR } from '../../domain/index.ts';
import { senderNames } from './sender-names.ts';

const REGISTERED = new Map([
  ['ben@houmao.localhost', 'ben'],
  ['you@houmao.localhost', 'you'],
  ['bad@houmao.localhost', 'bad\u001b[2J name'],
]);

describe('the senders that a wake names', () => {
  it('a wake names registered agents once each, the person as "you", and everyone else as "someone outside"', () => {
    const from = [
      'ben@houmao.localhost',
      OPERATOR.address,
      'eve@example.com',
      'ben@houmao.localhost',
      'x@y.z',
    ];
    expect(senderNames(from, REGISTERED)).toEqual(['ben', 'you', 'someone outside']);
  });

  it('a wake does not name an agent that is called "you", or whose name is not valid', () => {
    expect(senderNames(['you@houmao.localhost', 'bad@houmao.localhost'], REGISTERED)).toEqual([
      'someone outside',
    ]);
  });

  it('a wake names at most eight agents, and counts the rest', () => {
    const names = new Map(Array.from({ length: 11 }, (_, n) => [`a${n}@x.y`, `a${n}`]));
    const said = senderNames([...names.keys(), 'z@x.y'], names);
    expect(said).toHaveLength(10);
    expect(said.slice(-2)).toEqual(['3 more', 'someone outside']);
  });
});
