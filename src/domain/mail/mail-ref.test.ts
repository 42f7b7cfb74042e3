import { describe, expect, it } from 'vitest';
import { isMessageId, makeMailRef, newMessageId, parseMailRef, parseMailRefs } from './mail-ref.ts';

describe('a message id', () => {
  it('a message id has the documented form and sorts in the order it was made, also within a millisecond', () => {
    const at = new Date('2026-01-02T03:04:05.678Z');
    const ids = Array.from({ length: 1000 }, () => newMessageId(at));
    expect(ids.every(isMessageId)).toBe(true);
    expect(ids[0]).toMatch(/^msg-20260102T030405Z-[0-9a-f]{32}$/);
    expect([...ids].sort()).toEqual(ids);
    expect(newMessageId(new Date('2026-01-02T03:04:05.679Z')) > ids.at(-1)!).toBe(true);
  });
});

describe('a message ref', () => {
  it('a message ref is opaque: only its own transport parses it', () => {
    const ref = makeMailRef('filesystem', 'x');
    expect(parseMailRef('filesystem', ` ${ref} `)).toBe('x');
    expect(parseMailRef('filesystem', 'x')).toBe('x');
    expect(() => parseMailRef('flatfile', ref)).toThrow(expect.objectContaining({ code: 'invalid' }));
  });

  it.each([[[]], [['a', 'a']], [['a', 'filesystem:a']], [[' ']]])('list %j is refused', (refs) => {
    expect(() => parseMailRefs('filesystem', refs)).toThrow(expect.objectContaining({ code: 'invalid' }));
  });
});
