import { expect, it } from 'vitest';
import { timesInText } from './times-in-text.ts';

const inBerlin = (text: string): string => timesInText(text, (at) => (at.getUTCMonth() === 6 ? -120 : -60));
const inUtc = (text: string): string => timesInText(text, () => 0);

it('the times in a reason are local where all others are, and everything else stays', () => {
  expect(inBerlin('paused until 2026-11-20T23:16:44.661Z')).toBe('paused until 2026-11-21 00:16:44');
  expect(inBerlin('limited until 2026-07-01 22:30:00Z')).toBe('limited until 2026-07-02 00:30:00');
  const without = 'request gwreq-20261119-231648Z-52f7 at 1 of 30';
  expect(inBerlin(without)).toBe(without);
  expect(inUtc('quiet_hours until 2026-11-20T06:00:00.000Z')).toBe('quiet_hours until 2026-11-20 06:00:00Z');
});
