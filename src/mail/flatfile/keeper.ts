import * as fs from 'node:fs';
import * as path from 'node:path';
import { commandLine, invalid, notFound, unsupported } from '../../base/index.ts';
import { agentAddress } from '../../domain/index.ts';
import type { MailKeeper, OpenedMailbox } from '../transport.ts';
import { FLAT_FILE, type FlatFileBinding, isFlatFilePath } from './binding.ts';
import { FlatFileMailbox, type FlatFileMailboxOptions } from './mailbox/flat-file-mailbox.ts';

/** The file is the mailbox, so there is nothing to register or to release. */
export const flatFileKeeper: MailKeeper<FlatFileBinding> = {
  async open({ mailbox_path: directory, address, principal_id }, { clock }) {
    if (!isDirectory(directory)) {
      throw notFound(`there is no directory ${directory}, where the mailbox was`, {
        hint: 'put it back, or bind another mailbox with "rouse agents mailbox register"',
      });
    }
    return openIn({ directory, address, principal_id, clock });
  },

  async openAt(place, address) {
    if (address === undefined) {
      throw invalid('--address is needed with a flat mailbox file', {
        hint: 'the file does not name its owner: use --address NAME@DOMAIN',
      });
    }
    const directory = agentDirectoryOf(place);
    // Reading mail creates no directory.
    requireDirectory(directory);
    return openIn({ directory, address });
  },

  async bind({ place, principal_id, bindings_version, ...request }, { clock }) {
    const address = request.address ?? agentAddress(request.agentName);
    const directory = agentDirectoryOf(place);
    requireDirectory(path.dirname(directory));
    // Fails now if this cannot be a mailbox.
    await new FlatFileMailbox({ directory, address, clock }).status();
    return {
      reused: true,
      binding: { transport: FLAT_FILE, principal_id, address, mailbox_path: directory, bindings_version },
    };
  },

  async unbind({ mailbox_path }, mode) {
    if (mode === 'deactivate') return {};
    throw unsupported(`the flat mailbox in ${mailbox_path} is not Rouse's to remove`, {
      hint: 'use --mode deactivate, and remove its files yourself when no one needs them',
    });
  },

  isActive: async ({ mailbox_path }) => isDirectory(mailbox_path),
  describe: ({ mailbox_path }) => ({ mailbox_path }),
};

/** The `.agent` directory of the mailbox at this file or directory. No other file replaces the named one. */
function agentDirectoryOf(typed: string): string {
  const isFile = isFlatFilePath(typed);
  const directory = isFile ? path.dirname(typed) : typed;
  const agent = path.basename(directory) === '.agent' ? directory : path.join(directory, '.agent');
  if (isFile && (agent !== directory || path.basename(typed) !== 'inbox.md')) {
    throw invalid(`a flat mailbox must be .agent/inbox.md of a directory, not ${typed}`, {
      hint: `"rouse mailfile" works with any file: ${commandLine`rouse mailfile list --mailbox ${typed}`}`,
    });
  }
  return agent;
}

function openIn(options: FlatFileMailboxOptions): OpenedMailbox {
  const look = (): fs.Stats | undefined => fs.statSync(options.directory, { throwIfNoEntry: false });
  const opened = look();
  const mailbox = new FlatFileMailbox(options);
  return {
    mailbox,
    isReplaced() {
      const now = look();
      return now?.ino !== opened?.ino || now?.dev !== opened?.dev;
    },
    close: () => mailbox.close(),
  };
}

function isDirectory(directory: string): boolean {
  return fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true;
}

function requireDirectory(directory: string): void {
  if (isDirectory(directory)) return;
  throw notFound(`there is no directory ${directory}`, { hint: `make it first: mkdir -p ${directory}` });
}
