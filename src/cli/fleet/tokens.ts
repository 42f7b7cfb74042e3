import * as fs from 'node:fs';
import * as path from 'node:path';
import { invalid, messageOf, writeNamedFile } from '../../base/index.ts';
import { GRANTS, TOKEN_KINDS } from '../../domain/index.ts';
import type { FleetToken } from '../../wire/index.ts';
import { type Command, command, type Flag, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { durationSeconds, notBlank } from '../input/flag-values.ts';
import { keyValues, table } from '../print/table.ts';
import { FLEET_FLAGS, fleetOf } from './access.ts';
import { moreLine, PAGE_FLAGS, pageOf } from './pages.ts';

function lasting(text: string): number {
  const seconds = durationSeconds(text);
  if (seconds > 0) return seconds;
  throw invalid(`"${text}" is not a duration`, { hint: 'write 90d, 12h, 30m or 45s' });
}

async function create(input: InputOf<typeof CREATE_FLAGS>): Promise<Output> {
  const { flags } = input;
  if (flags.outFile !== undefined) requireWritable(flags.outFile);
  const { token, ...view } = await (await fleetOf(input)).createToken({
    kind: flags.kind,
    ...(flags.subject !== undefined && { subject: flags.subject }),
    ...(flags.agent !== undefined && { agent: flags.agent }),
    ...(flags.org !== undefined && { org: flags.org }),
    ...(flags.allOrgs === true && { all_orgs: true }),
    ...(flags.grant !== undefined && { grants: flags.grant }),
    ...(flags.expiresIn !== undefined && { expires_in_seconds: flags.expiresIn }),
  });
  const file = flags.outFile;
  if (file === undefined) {
    const plain = `${keyValues(shown(view))}\n\n${token}\n\nIt will not be shown again.`;
    return { data: { ...view, token }, plain };
  }
  writeNamedFile(file, `${token}\n`);
  return { data: { ...view, token_file: file }, plain: `${keyValues(shown(view))}\ntoken_file  ${file}` };
}

/** Checked before the token is created: a token that cannot be stored would be lost. */
function requireWritable(file: string): void {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat?.isDirectory()) throw invalid(`--out-file ${file} is a directory`, { hint: 'name a file' });
  // A pipe of this command, such as /dev/stdout, has a reader; others may have none.
  if ((stat?.isFIFO() || stat?.isSocket()) && !/^\/(dev|proc)\//.test(path.resolve(file)))
    throw invalid(`--out-file ${file} is a pipe or a socket`, { hint: 'name a file' });
  const place = stat ? file : path.dirname(path.resolve(file));
  try {
    fs.accessSync(place, fs.constants.W_OK);
  } catch (error) {
    throw invalid(`--out-file ${file} cannot be written: ${messageOf(error)}`, {
      hint: 'name a file in a directory that exists and that you may write to',
    });
  }
}

const shown = ({ token_id, kind, org, subject, grants, prefix, expires_at }: FleetToken) => ({
  token_id,
  kind,
  org: org ?? 'all',
  subject,
  ...(grants.length > 0 && { grants: grants.join(', ') }),
  prefix,
  expires_at: expires_at ?? 'never',
});

async function list(input: InputOf<typeof LIST_FLAGS>): Promise<Output> {
  const data = await (await fleetOf(input)).call('admin.tokens.list', {
    ...(input.flags.all === true && { all: 'true' as const }),
    ...pageOf(input),
  });
  const plain = table(data.tokens, [
    { title: 'token', value: (row) => row.token_id },
    { title: 'prefix', value: (row) => row.prefix },
    { title: 'kind', value: (row) => row.kind },
    { title: 'org', value: (row) => row.org ?? 'all', max: 20 },
    { title: 'subject', value: (row) => row.subject, max: 24 },
    { title: 'grants', value: (row) => row.grants.join(',') },
    { title: 'last used', value: (row) => row.last_used_at },
    { title: 'ends', value: (row) => row.revoked_at ?? row.expires_at },
  ]);
  return { data, plain: plain + moreLine(data) };
}

async function revoke(input: InputOf<typeof FLEET_FLAGS>): Promise<Output> {
  const view = await (await fleetOf(input)).call('admin.tokens.revoke', { token_id: input.args[0]! });
  return { data: view, plain: `Revoked ${view.kind} token ${view.token_id} of ${view.subject}.` };
}

const CREATE_FLAGS = [
  {
    name: 'kind',
    value: 'KIND',
    summary: 'kind of token',
    choices: TOKEN_KINDS,
    required: true,
  },
  { name: 'subject', value: 'NAME', summary: 'the name shown in requests', parse: notBlank },
  {
    name: 'agent',
    value: 'REF',
    summary: 'agent token: its name, agent id or workspace id',
    parse: notBlank,
  },
  { name: 'org', value: 'NAME', summary: 'the org; default your own, else "default"', parse: notBlank },
  { name: 'all-orgs', summary: 'make it an administrator of the whole server' },
  {
    name: 'grant',
    value: 'GRANT',
    summary:
      "launch (start, relaunch, stop and attach agents on the server's host; runs programs under its account) or shutdown",
    choices: GRANTS,
    many: true,
  },
  { name: 'expires-in', value: 'TIME', summary: 'such as 90d or 12h; default never', parse: lasting },
  {
    name: 'out-file',
    value: 'FILE',
    summary: 'write it to this file (0600) instead of printing it',
    parse: notBlank,
  },
  ...FLEET_FLAGS,
] as const satisfies readonly Flag[];

const LIST_FLAGS = [
  { name: 'all', summary: 'include revoked and expired tokens' },
  ...PAGE_FLAGS,
  ...FLEET_FLAGS,
] as const satisfies readonly Flag[];

const tokens: Command = {
  ...FIRST_WORDS.tokens,
  description:
    'Only administrators create tokens; those of one org only for that org. The server stores a hash, so ' +
    'the secret is shown only once.',
  subcommands: [
    command({
      name: 'create',
      summary: 'create a token',
      examples: [
        'rouse tokens create --kind user --subject ana --out-file ~/.rouse/token',
        'rouse tokens create --kind admin --subject lead --org research --expires-in 90d',
        'rouse tokens create --kind user --subject ops --grant launch --out-file ops-token',
        'rouse tokens create --kind agent --agent ben',
      ],
      flags: CREATE_FLAGS,
      run: create,
    }),
    command({
      name: 'list',
      summary: 'the tokens you may see, without their secrets',
      examples: ['rouse tokens list', 'rouse tokens list --all'],
      flags: LIST_FLAGS,
      run: list,
    }),
    command({
      name: 'revoke',
      summary: 'revoke a token at once',
      examples: ['rouse tokens revoke 01a1e1f7-cf96-76aa-a710-3cdb873c487a'],
      args: [{ name: 'token-id', summary: 'id, as the list shows it' }],
      flags: FLEET_FLAGS,
      run: revoke,
    }),
  ],
};

export default tokens;
