import type { Command } from './command.ts';
import { mailfileArchive } from './mailfile-archive.ts';
import { mailfileFsck } from './mailfile-fsck.ts';
import { mailfileList } from './mailfile-list.ts';
import { mailfileLockPath } from './mailfile-lock-path.ts';
import { mailfilePrepend } from './mailfile-prepend.ts';
import { mailfileRelay } from './mailfile-relay.ts';
import { mailfileSetStatus } from './mailfile-set-status.ts';
import { mailfileShow } from './mailfile-show.ts';
import { mailfileWatch } from './mailfile-watch.ts';

const mailfile: Command = {
  name: 'mailfile',
  summary: 'flat-file mailboxes: .agent/inbox.md and .agent/outbox.md',
  description:
    'Mailboxes that are one Markdown file, newest message on top. Every change is made under a kernel lock that shell ' +
    'scripts can share, in one durable step.',
  subcommands: [
    mailfilePrepend,
    mailfileList,
    mailfileShow,
    mailfileSetStatus,
    mailfileArchive,
    mailfileFsck,
    mailfileRelay,
    mailfileLockPath,
    mailfileWatch,
  ],
};

export default mailfile;
