import { armCrashPoint } from '../../src/base/index.ts';
import { type MailboxBinding, openMailbox } from '../../src/mail/index.ts';
import { surroundings } from './link-world.ts';

/** Carries the waiting mail of one linked mailbox, both ways, once; dies at the given crash point. */
armCrashPoint(process.env['ROUSE_CRASH_AT']);
const { mailbox, close } = await openMailbox(JSON.parse(process.argv[2]!) as MailboxBinding, surroundings);
await mailbox.outbox!.flush();
await close();
