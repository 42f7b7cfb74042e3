import { isIP } from 'node:net';
import * as path from 'node:path';
import {
  invalid,
  isProcessAlive,
  listenerUrl,
  messageOf,
  signalProcess,
  sleep,
  systemClock,
} from '../../base/index.ts';
import { runningServer, serverFiles } from '../../fleet/server-files.ts';
import { ALLOW_USERS } from '../agents/flags/attach.ts';
import {
  type Command,
  command,
  type Flag,
  type FlagsOf,
  type Input,
  type InputOf,
  type Output,
} from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { notBlank, wholeNumber } from '../input/flag-values.ts';
import { keyValues } from '../print/table.ts';
import { BACKUP_COMMANDS } from './server-backup.ts';
import { installCommands } from './server-install.ts';

const DEFAULT_PORT = 9889;
const GRACE_MS = 10_000;

const DATABASE = {
  name: 'database-url',
  value: 'URL',
  summary: 'a PostgreSQL server; default DATABASE_URL, else the embedded database in $ROUSE_HOME/server',
  parse: notBlank,
} as const satisfies Flag;

/** An address, not a name: a name may resolve to another machine tomorrow. */
function address(text: string): string {
  if (text === 'localhost') return '127.0.0.1';
  if (isIP(text) !== 0) return text.toLowerCase();
  throw invalid(`"${text}" is not an IP address`, { hint: 'use 127.0.0.1, or 0.0.0.0 for every address' });
}

/** An http or https address to which our paths can be appended. */
function webAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url && !url.search && !url.hash && !url.username && !url.password;
  if (url && plain && /^https?:$/.test(url.protocol)) return url.href.replace(/\/$/, '');
  throw invalid(`"${text}" is not a web address`, { hint: 'write it as https://fleet.example.org' });
}

function databaseUrls({ flags, env }: InputOf<readonly [typeof DATABASE]>) {
  const databaseUrl = flags.databaseUrl ?? (env['DATABASE_URL'] || undefined);
  const databaseDirectUrl = env['ROUSE_DATABASE_DIRECT_URL'] || undefined;
  if (databaseDirectUrl !== undefined && databaseUrl === undefined)
    throw invalid('ROUSE_DATABASE_DIRECT_URL is set, but no database URL is', {
      hint: 'DATABASE_URL is the pooler in front of it; without a pooler, set DATABASE_URL alone',
    });
  return { databaseUrl, databaseDirectUrl };
}

/** The host names that the server accepts, including the one in the public URL. */
function hostsOf(flags: FlagsOf<typeof START_FLAGS>): string[] {
  const named = flags.allowHost ?? [];
  const publicUrl = flags.publicUrl;
  return [...named, ...(publicUrl ? [new URL(publicUrl).hostname] : [])].map((name) => name.toLowerCase());
}

function tlsOf({ tlsCert, tlsKey }: FlagsOf<typeof START_FLAGS>) {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined)
    throw invalid('--tls-cert and --tls-key belong together', { hint: 'use both, or neither' });
  return { certFile: path.resolve(tlsCert), keyFile: path.resolve(tlsKey) };
}

/** How clients reach the server: address, names, TLS, proxies. */
const frontOf = (flags: FlagsOf<typeof START_FLAGS>) => ({
  host: flags.host,
  hosts: hostsOf(flags),
  publicUrl: flags.publicUrl,
  tls: tlsOf(flags),
  trustedProxies: flags.trustedProxy,
});

async function checkFront(flags: Record<string, unknown>): Promise<void> {
  const { refuseUnnamedProxy } = await import('../../fleet/index.ts');
  refuseUnnamedProxy(frontOf(flags as FlagsOf<typeof START_FLAGS>));
}

async function start(input: InputOf<typeof START_FLAGS>): Promise<Output | void> {
  const { runServer } = await import('../../fleet/index.ts');
  const { createLog, FileTroubles, handleListenerErrors } = await import('../../base/index.ts');
  const { serverLog } = await import('./server-log.ts');
  const { flags, env, settings, signal } = input;
  const files = serverFiles(settings.home);
  const level = flags.verbose ? 'debug' : 'info';
  const troubles = new FileTroubles(systemClock);
  const log = createLog({ clock: systemClock, write: serverLog(input.err, troubles), level });
  handleListenerErrors((error) => log.error('a listener failed', { cause: messageOf(error) }));
  input.progress('opening the database');
  const server = await runServer({
    files,
    ...frontOf(flags),
    port: flags.port,
    allowUsers: flags.allowUsers,
    ...databaseUrls(input),
    endWhenIdleMs: flags.endWhenIdle === undefined ? undefined : flags.endWhenIdle * 60_000,
    env,
    agents: { settings, env },
    clock: systemClock,
    log,
    troubles,
  });
  const { instance, adminToken } = server;
  const scheme = flags.tlsCert === undefined ? 'http' : 'https';
  const url = `${scheme}://${instance.host.includes(':') ? `[${instance.host}]` : instance.host}:${instance.port}`;
  const facts = {
    url,
    ...(flags.publicUrl !== undefined && { public_url: flags.publicUrl }),
    database: instance.database,
    admin_token_file: adminToken === 'elsewhere' ? null : files.adminToken,
    pid: instance.pid,
    instance_id: instance.instance_id,
  };
  input.ignoreOutputErrors();
  input.out(input.style === 'json' ? `${JSON.stringify(facts)}\n` : `${described(facts, adminToken)}\n`);
  const stop = (): void => void server.stop().catch((error) => input.err(`error: ${messageOf(error)}\n`));
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  await server.stopped;
  // Stopping a server is its normal end, also by Ctrl-C.
  return { data: undefined, exitCode: 0 };
}

function described(facts: Record<string, unknown>, token: string): string {
  const next = {
    made: 'The first admin token was written to that file. There is no other copy.',
    there: '',
    elsewhere: 'The admin tokens of this database are not on this host.',
  }[token];
  return ['Fleet server', keyValues(facts), next].filter(Boolean).join('\n');
}

async function init(input: InputOf<typeof INIT_FLAGS>): Promise<Output> {
  const { initServer } = await import('../../fleet/index.ts');
  const { silentLog } = await import('../../base/index.ts');
  const files = serverFiles(input.settings.home);
  input.progress('opening the database');
  const state = await initServer({
    files,
    ...databaseUrls(input),
    clock: systemClock,
    log: silentLog,
    replaceAdminToken: input.flags.replaceAdminToken === true,
  });
  const plain = {
    made: input.flags.replaceAdminToken
      ? `A new admin token is in ${files.adminToken}; the old one is revoked.`
      : `The first admin token is in ${files.adminToken}. There is no other copy.`,
    there: `The admin token in ${files.adminToken} is valid; nothing was changed.`,
    elsewhere:
      'The database has administrators whose tokens are not on this host; nothing was changed. If they are lost: --replace-admin-token.',
  }[state];
  const file = state === 'elsewhere' ? null : files.adminToken;
  return { data: { admin_token_file: file, made: state === 'made' }, plain };
}

async function status(input: Input): Promise<Output> {
  const running = runningServer(serverFiles(input.settings.home));
  if (!running) {
    const plain = 'No fleet server of this home is running. Start one: rouse server start';
    return { data: { running: false }, plain, exitCode: 7 };
  }
  const { process: _, schema_version: __, ...facts } = running;
  const trouble = await answersAsItself(running, input.env).catch(messageOf);
  const data = { running: true, ...facts, ready: trouble === undefined, trouble: trouble ?? null };
  return { data, plain: keyValues(data), ...(trouble !== undefined && { exitCode: 7 }) };
}

/** Returns what is wrong; undefined when the server and its database work. */
async function answersAsItself(
  running: { host: string; port: number; instance_id: string },
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const { FleetClient, ownerToken } = await import('../../client/index.ts');
  const url = listenerUrl(running);
  const client = new FleetClient({ url, token: ownerToken(env, url), timeoutMs: 5000 });
  if ((await client.call('health', {})).instance_id !== running.instance_id)
    return 'another program is listening on its port';
  await client.call('ready', {});
  return undefined;
}

async function stop(input: Input): Promise<Output> {
  const running = runningServer(serverFiles(input.settings.home));
  if (!running) return { data: { stopped: false }, plain: 'No fleet server of this home was running.' };
  signalProcess(running.process, 'SIGTERM');
  const deadline = systemClock.monotonic() + GRACE_MS;
  input.progress('waiting for the server to end');
  while (isProcessAlive(running.process)) {
    if (systemClock.monotonic() > deadline) signalProcess(running.process, 'SIGKILL');
    await sleep(systemClock, 50, input.signal);
    if (input.signal.aborted) break;
  }
  return {
    data: { stopped: true, pid: running.pid },
    plain: `Stopped the fleet server (pid ${running.pid}).`,
  };
}

const START_FLAGS = [
  {
    name: 'host',
    value: 'ADDRESS',
    summary: 'address to listen on',
    parse: address,
    default: '127.0.0.1',
  },
  {
    name: 'port',
    value: 'PORT',
    summary: 'port to listen on; 0 picks a free one',
    parse: wholeNumber(0, 65_535),
    default: DEFAULT_PORT,
  },
  {
    name: 'allow-host',
    value: 'NAME',
    summary: 'host name it may be reached by; on loopback it needs --trusted-proxy or --tls-cert',
    many: true,
    parse: notBlank,
  },
  {
    name: 'public-url',
    value: 'URL',
    summary:
      'address others reach it at, such as https://fleet.example.org; on loopback it needs --trusted-proxy or --tls-cert',
    parse: webAddress,
  },
  {
    name: 'tls-cert',
    value: 'FILE',
    summary: 'PEM certificate with its intermediate certificates; reloaded when it changes',
    parse: notBlank,
  },
  { name: 'tls-key', value: 'FILE', summary: 'its key, readable only by you', parse: notBlank },
  {
    name: 'trusted-proxy',
    value: 'ADDRESS',
    summary:
      'trust the X-Forwarded-For, -Proto and -Host headers of this proxy (address or range); everyone on loopback then needs a token',
    many: true,
    parse: notBlank,
  },
  ALLOW_USERS,
  DATABASE,
  {
    name: 'end-when-idle',
    value: 'MINUTES',
    summary: 'end after this many minutes with no open tab of the dashboard and no agent heartbeat',
    parse: wholeNumber(1, 100_000),
  },
  { name: 'verbose', summary: 'log heartbeats too' },
] as const satisfies readonly Flag[];

const INIT_FLAGS = [
  DATABASE,
  {
    name: 'replace-admin-token',
    summary: 'for a lost admin token: create a new one and revoke the old one',
  },
] as const satisfies readonly Flag[];

const server: Command = {
  ...FIRST_WORDS.server,
  subcommands: [
    command({
      name: 'start',
      summary: 'run the server in the foreground',
      description:
        'Uses PostgreSQL when there is a URL, otherwise an embedded database. The first start creates ' +
        'an admin token. Ctrl-C or "rouse server stop" ends it. Before it listens beyond loopback, create the admin token ' +
        'with "rouse server init".',
      examples: [
        'rouse server start',
        'DATABASE_URL=postgresql://rouse@db/rouse rouse server start --host 0.0.0.0 --allow-host fleet.example.org',
        'rouse server start --host 0.0.0.0 --allow-host fleet.example.org --tls-cert fleet.pem --tls-key fleet.key',
        'rouse server start --public-url https://fleet.example.org --trusted-proxy 127.0.0.1',
      ],
      flags: START_FLAGS,
      run: start,
    }),
    command({
      name: 'init',
      summary: 'prepare the database and create the first admin token',
      examples: [
        'rouse server init',
        'rouse server init --database-url postgresql://rouse@db/rouse',
        'rouse server init --replace-admin-token',
      ],
      flags: INIT_FLAGS,
      run: init,
    }),
    {
      name: 'status',
      summary: 'whether the server of this home and its database are running',
      examples: ['rouse server status'],
      run: status,
    },
    { name: 'stop', summary: 'stop the server of this home', examples: ['rouse server stop'], run: stop },
    ...BACKUP_COMMANDS,
    ...installCommands(
      START_FLAGS.filter(({ name }) => name !== 'database-url'),
      checkFront,
    ),
  ],
};

export default server;
