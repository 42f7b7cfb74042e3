import { expect, it } from 'vitest';
import { readCursor, writeCursor } from './page-cursor.ts';

const CURSOR = { at: '2026-01-31 08:00:00.123456+00', id: '01890000-0000-7000-8000-000000000001' };

it('a page cursor is read as it was written, with microseconds', () => {
  expect(readCursor(writeCursor(CURSOR))).toEqual(CURSOR);
  const whole = { ...CURSOR, at: '2026-01-31 08:00:00+00' };
  expect(readCursor(writeCursor(whole))).toEqual(whole);
});

it.each([
  '',
  'x',
  writeCursor({ ...CURSOR, at: "2026-01-31' OR 1=1" }),
  writeCursor({ ...CURSOR, id: 'not-a-uuid' }),
  'A'.repeat(201),
])('the page cursor %j, which no server issued, is refused', (text) => {
  expect(() => readCursor(text)).toThrow('was not issued by this server');
});
