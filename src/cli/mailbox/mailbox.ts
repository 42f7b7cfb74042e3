import { type Command, command } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { ROOT_FLAG } from '../mail/mailbox-door.ts';
import { keyValues } from '../print/table.ts';
import { getAccount, listAccounts } from './accounts.ts';
import { cleanup, clear } from './cleanup.ts';
import { exportStore } from './export.ts';
import { link } from './link.ts';
import { register, unregister } from './register.ts';
import { repair } from './repair.ts';
import { about, storeRoot } from './root.ts';

const init = command({
  name: 'init',
  summary: 'create a mail store, or complete one',
  examples: ['rouse mailbox init', 'rouse mailbox init --mailbox-root /srv/mail'],
  flags: [ROOT_FLAG],
  async run(input) {
    const { initMailStore } = await import('../../mail/index.ts');
    const store = initMailStore({ root: storeRoot(input) });
    try {
      const { root, index, rules, mailboxes } = store.layout;
      return {
        data: about(input, {
          bootstrapped: true,
          supported: true,
          protocol_version: 1,
          sqlite_path: index,
          rules_dir: rules,
          mailboxes_dir: mailboxes,
          status: 'ready',
        }),
        plain: `mail store ${root} is ready`,
      };
    } finally {
      await store.close();
    }
  },
});

const status = command({
  name: 'status',
  summary: 'state of a mail store; exit code 4 if it exists and cannot be used',
  examples: ['rouse mailbox status'],
  flags: [ROOT_FLAG],
  async run(input) {
    const { rootStatus } = await import('../../mail/index.ts');
    const report = await rootStatus(storeRoot(input));
    const { registration_counts: counts, warnings, error, hint, ...facts } = report;
    const lines = keyValues({
      ...facts,
      registrations:
        counts && `${counts.active} active, ${counts.inactive} inactive, ${counts.stashed} stashed`,
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(error === null ? {} : { error }),
      ...(hint === null ? {} : { hint }),
    });
    const isBroken = report.bootstrapped && error !== null;
    return { data: about(input, report), plain: lines, exitCode: isBroken ? 4 : 0 };
  },
});

const mailbox: Command = {
  ...FIRST_WORDS.mailbox,
  subcommands: [
    init,
    status,
    register,
    unregister,
    listAccounts,
    { name: 'accounts', summary: 'who has a mailbox', subcommands: [listAccounts, getAccount] },
    link,
    repair,
    cleanup,
    clear,
    exportStore,
  ],
};

export default mailbox;
