import { invalid, isRouseError } from '../base/index.ts';
import type { MailStore, MaintenanceReport, RegisterRequest, Registration } from '../mailbox/index.ts';
import type { Command, Flag, Input, Output } from './command.ts';
import { wholeNumber } from './flag-values.ts';
import { plural } from './mail-print.ts';
import { chosenRoot, ROOT_FLAG } from './mail-store-flags.ts';
import { keyValues, table } from './table.ts';

const ADDRESS: Flag = {
  name: 'address',
  value: 'ADDRESS',
  summary: 'mail address, such as ana@houmao.localhost',
  required: true,
};
const DRY_RUN: Flag = { name: 'dry-run', summary: 'tell what would happen and do nothing' };
const YES: Flag = { name: 'yes', summary: 'do it without asking' };
const seconds = (name: string, what: string): Flag => ({
  name,
  value: 'SECONDS',
  summary: `${what} at least so long ago; 0 is any time`,
  parse: wholeNumber(0),
  default: 0,
});

const flag = (input: Input, name: string): boolean => input.flags[name] === true;
const text = (input: Input, name: string): string | undefined => input.flags[name] as string | undefined;

/** Opens the store, runs `work`, closes it. */
async function withStore<T>(input: Input, work: (store: MailStore) => Promise<T> | T): Promise<T> {
  const { openMailStore } = await import('../mailbox/index.ts');
  const store = openMailStore({ root: chosenRoot(input).path });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Every answer says which root it is about and why that one. */
function about(input: Input, payload: object): object {
  const { path, source } = chosenRoot(input);
  return { mailbox_root: path, mailbox_root_detail: { path, source }, ...payload };
}

const init: Command = {
  name: 'init',
  summary: 'make a mail store, or complete one',
  examples: ['rouse mailbox init', 'rouse mailbox init --mailbox-root /srv/mail'],
  flags: [ROOT_FLAG],
  async run(input) {
    const { initMailStore } = await import('../mailbox/index.ts');
    const store = initMailStore({ root: chosenRoot(input).path });
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
};

const status: Command = {
  name: 'status',
  summary: 'how a mail store is',
  examples: ['rouse mailbox status'],
  flags: [ROOT_FLAG],
  async run(input) {
    const { rootStatus } = await import('../mailbox/index.ts');
    const report = await rootStatus(chosenRoot(input).path);
    const { registration_counts: counts, warnings, error, hint, ...facts } = report;
    const { active, inactive, stashed } = counts;
    const lines = keyValues({
      ...facts,
      registrations: `${active} active, ${inactive} inactive, ${stashed} stashed`,
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(error === null ? {} : { error }),
      ...(hint === null ? {} : { hint }),
    });
    return { data: about(input, report), plain: lines };
  },
};

const register: Command = {
  name: 'register',
  summary: 'give an address to somebody',
  description:
    'safe takes nothing from anybody; force replaces the mailbox that has the address; stash puts it aside. ' +
    'With --yes, safe becomes force where somebody has the address.',
  examples: ['rouse mailbox register --address ana@houmao.localhost --principal-id HOUMAO-ana'],
  flags: [
    ADDRESS,
    { name: 'principal-id', value: 'ID', summary: 'whose it is', required: true },
    {
      name: 'mode',
      value: 'MODE',
      summary: 'what to do when somebody has it',
      choices: ['safe', 'force', 'stash'],
      default: 'safe',
    },
    {
      name: 'mailbox-path',
      value: 'DIR',
      summary: 'keep the boxes in this private directory outside the store',
    },
    { name: 'display-name', value: 'NAME', summary: 'how mail names the owner' },
    { name: 'role', value: 'ROLE', summary: 'what the owner does' },
    YES,
    ROOT_FLAG,
  ],
  run: (input) =>
    withStore(input, (store) => {
      const request = registerRequest(input);
      const result = registerOr(store, request, flag(input, 'yes'));
      const how = result.reused_existing ? 'was registered already' : 'registered';
      const aside = result.stashed_mailbox_path
        ? `\nthe old mailbox is kept as ${result.stashed_mailbox_path}`
        : '';
      const plain = `${result.address} ${how} for ${result.owner_principal_id}${aside}`;
      return { data: about(input, result), plain };
    }),
};

function registerRequest(input: Input): RegisterRequest {
  const directory = text(input, 'mailboxPath');
  const display_name = text(input, 'displayName');
  const role = text(input, 'role');
  return {
    mode: input.flags['mode'] as RegisterRequest['mode'] & string,
    address: text(input, 'address')!,
    owner_principal_id: text(input, 'principalId')!,
    ...(directory === undefined ? {} : { mailbox_kind: 'symlink', mailbox_path: directory }),
    ...(display_name === undefined ? {} : { display_name }),
    ...(role === undefined ? {} : { role }),
  };
}

function registerOr(
  store: MailStore,
  request: RegisterRequest,
  yes: boolean,
): ReturnType<MailStore['register']> {
  try {
    return store.register(request);
  } catch (error) {
    if (!yes || request.mode !== 'safe' || !isRouseError(error) || error.code !== 'conflict') throw error;
    return store.register({ ...request, mode: 'force' });
  }
}

const unregister: Command = {
  name: 'unregister',
  summary: 'take an address out of use, or forget its mailbox',
  examples: ['rouse mailbox unregister --address ana@houmao.localhost --mode deactivate'],
  flags: [
    ADDRESS,
    {
      name: 'mode',
      value: 'MODE',
      summary: 'deactivate keeps everything, purge forgets the mailbox',
      choices: ['deactivate', 'purge'],
      default: 'deactivate',
    },
    ROOT_FLAG,
  ],
  run: (input) =>
    withStore(input, (store) => {
      const result = store.unregister(text(input, 'address')!, input.flags['mode'] as 'deactivate' | 'purge');
      return { data: about(input, result), plain: `${result.address} is ${result.resulting_status}` };
    }),
};

const accountColumns = [
  { title: 'address', value: ({ address }: Registration) => address },
  { title: 'owner', value: ({ owner_principal_id: owner }: Registration) => owner },
  { title: 'status', value: ({ status }: Registration) => status },
  { title: 'kind', value: ({ mailbox_kind: kind }: Registration) => kind },
  {
    title: 'since (utc)',
    value: ({ created_at_utc: at }: Registration) => at.slice(0, 16).replace('T', ' '),
  },
];

const listAccounts: Command = {
  name: 'list',
  summary: 'who has a mailbox',
  examples: ['rouse mailbox list', 'rouse mailbox accounts list   # the same'],
  flags: [ROOT_FLAG],
  run: (input) =>
    withStore(input, (store): Output => {
      const accounts = store.registrations();
      return { data: about(input, { accounts }), plain: table(accounts, accountColumns) };
    }),
};

const getAccount: Command = {
  name: 'get',
  summary: 'one mailbox: the active one of an address, else the stashed, else the newest',
  examples: ['rouse mailbox accounts get --address ana@houmao.localhost'],
  flags: [ADDRESS, ROOT_FLAG],
  run: (input) =>
    withStore(input, (store): Output => {
      const address = text(input, 'address')!.trim();
      const [account] = store.registrations(address);
      if (!account) throw store.unknownMailbox(address);
      return { data: about(input, { account }), plain: keyValues({ ...account }) };
    }),
};

const repair: Command = {
  name: 'repair',
  summary: 'bring index, message files and folders in step again',
  examples: ['rouse mailbox repair'],
  description:
    'A readable index is the truth: missing files and links are made from it. An index that is lost or damaged is ' +
    'rebuilt from the message files; flags and boxes come from the old index, the state journal or the folders.',
  flags: [
    {
      name: 'cleanup-staging',
      summary: 'look after what interrupted writers left',
      negatable: true,
      default: true,
    },
    {
      name: 'quarantine-staging',
      summary: 'keep it aside',
      negatable: true,
      opposite: 'remove-staging',
      default: true,
    },
    ROOT_FLAG,
  ],
  async run(input) {
    const { repairMailStore } = await import('../mailbox/index.ts');
    input.progress('repairing');
    const result = await repairMailStore({
      root: chosenRoot(input).path,
      cleanup_staging: flag(input, 'cleanupStaging'),
      quarantine_staging: flag(input, 'quarantineStaging'),
    });
    const { set_aside_paths: _paths, staging_artifact_paths: _staged, ...facts } = result;
    return { data: about(input, result), plain: keyValues(facts) };
  },
};

const cleanup: Command = {
  name: 'cleanup',
  summary: 'forget mailboxes nobody uses and copies nothing refers to',
  examples: ['rouse mailbox cleanup --inactive-older-than-seconds 2592000 --dry-run'],
  flags: [
    seconds('inactive-older-than-seconds', 'deactivated'),
    seconds('stashed-older-than-seconds', 'stashed'),
    DRY_RUN,
    ROOT_FLAG,
  ],
  run: (input) =>
    withStore(input, (store) => {
      const report = store.cleanup({
        inactive_older_than_seconds: input.flags['inactiveOlderThanSeconds'] as number,
        stashed_older_than_seconds: input.flags['stashedOlderThanSeconds'] as number,
        dry_run: flag(input, 'dryRun'),
      });
      return { data: about(input, report), plain: renderReport(report) };
    }),
};

const clear: Command = {
  name: 'clear-messages',
  summary: 'remove all mail of a store and keep its mailboxes',
  examples: ['rouse mailbox clear-messages --dry-run'],
  flags: [DRY_RUN, YES, ROOT_FLAG],
  run: (input) =>
    withStore(input, async (store) => {
      const dryRun = flag(input, 'dryRun');
      if (!dryRun && !flag(input, 'yes')) {
        throw invalid('this removes every message of the store', {
          hint: 'look with --dry-run, then give --yes',
        });
      }
      const report = await store.clearMessages({ dryRun });
      return { data: about(input, report), plain: renderReport(report) };
    }),
};

function renderReport({
  dry_run: dry,
  planned_actions,
  applied_actions,
  blocked_actions,
}: MaintenanceReport): string {
  const acted = dry ? planned_actions : applied_actions;
  const head = `${dry ? 'would remove' : 'removed'} ${plural(acted.length, 'thing')}`;
  const rows = [
    ...acted.map((action) => ({ ...action, done: dry ? 'planned' : 'done' })),
    ...blocked_actions.map((action) => ({ ...action, done: 'blocked' })),
  ];
  if (rows.length === 0) return head;
  const lines = table(rows, [
    { title: 'what', value: ({ artifact_kind: kind }) => kind.replaceAll('_', ' ') },
    { title: 'how many', value: ({ details }) => details?.['count'] ?? 1, right: true },
    { title: 'state', value: ({ done }) => done },
    { title: 'why', value: ({ reason }) => reason },
    { title: 'path', value: ({ path }) => path },
  ]);
  return `${head}\n\n${lines}`;
}

const exportStore: Command = {
  name: 'export',
  summary: 'copy mailboxes with their mail into a directory of its own',
  examples: ['rouse mailbox export --output-dir ./mail-export --all-accounts'],
  flags: [
    { name: 'output-dir', value: 'DIR', summary: 'must not exist yet', required: true },
    { name: 'all-accounts', summary: 'every mailbox' },
    { ...ADDRESS, required: false, summary: 'this mailbox; may be repeated', many: true },
    {
      name: 'symlink-mode',
      value: 'MODE',
      summary: 'boxes with copies, or with links into the exported messages',
      choices: ['materialize', 'preserve'],
      default: 'materialize',
    },
    ROOT_FLAG,
  ],
  run: (input) =>
    withStore(input, async (store) => {
      const manifest = await store.export({
        output_dir: text(input, 'outputDir')!,
        all_accounts: flag(input, 'allAccounts'),
        addresses: (input.flags['address'] as string[] | undefined) ?? [],
        symlink_mode: input.flags['symlinkMode'] as 'materialize' | 'preserve',
      });
      const blocked = manifest.blocked_artifacts.length;
      const counts = `${plural(manifest.accounts.length, 'account')}, ${plural(manifest.messages.length, 'message')}`;
      const trouble =
        blocked > 0 ? `\n${plural(blocked, 'file')} could not be copied; see manifest.json` : '';
      return {
        data: about(input, manifest),
        plain: `exported ${counts} to ${text(input, 'outputDir')}${trouble}`,
      };
    }),
};

const mailbox: Command = {
  name: 'mailbox',
  summary: 'look after a mail store: who has a mailbox, repair, export',
  subcommands: [
    init,
    status,
    register,
    unregister,
    listAccounts,
    { name: 'accounts', summary: 'who has a mailbox', subcommands: [listAccounts, getAccount] },
    repair,
    cleanup,
    clear,
    exportStore,
  ],
};

export default mailbox;
