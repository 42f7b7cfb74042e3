import type { Command } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { mailfileArchive } from './archive.ts';
import { mailfileFsck } from './fsck.ts';
import { mailfileList } from './list.ts';
import { mailfileLockPath } from './lock-path.ts';
import { mailfilePrepend } from './prepend.ts';
import { mailfileRelay } from './relay.ts';
import { mailfileSetStatus } from './set-status.ts';
import { mailfileShow } from './show.ts';
import { mailfileWatch } from './watch.ts';

const mailfile: Command = {
  ...FIRST_WORDS.mailfile,
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
