import { armCrashPoint, FakeClock } from '../../src/base/index.ts';
import { openMailStore } from '../../src/mail/filesystem/index.ts';

/** Sends the message that closes a circle, or reports late answers, and dies at the given instant. */
const [, , what = '', root = '', at = ''] = process.argv;
const clock = new FakeClock(what === 'late' ? '2026-01-03T00:00:00.000Z' : '2026-01-01T00:00:00.000Z');
const store = openMailStore({ root, clock });
armCrashPoint(at || undefined);
if (what === 'late') await store.waits.reportOverdue();
else
  await store.mailbox('ben@houmao.localhost').send({
    to: ['ana@houmao.localhost'],
    subject: 'which host?',
    body_content: '',
    expects_answer: true,
    idempotency_key: 'one',
  });
await store.close();
process.stdout.write('done');
