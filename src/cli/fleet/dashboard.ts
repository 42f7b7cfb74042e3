import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { connect, isIPv4 } from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import {
  ensurePrivateDirectory,
  forbidden,
  invalid,
  listenerUrl,
  readIfExists,
  sleep,
  systemClock,
  unavailable,
} from '../../base/index.ts';
import type { FleetClient } from '../../client/index.ts';
import { codesOf, PAGE_ROLES } from '../../domain/index.ts';
import {
  type RecordedServer,
  runningServer,
  type ServerFiles,
  serverFiles,
} from '../../fleet/server-files.ts';
import { isHoumaoVariable } from '../../wire/houmao/index.ts';
import { command, type Flag, type Input, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { notBlank } from '../input/flag-values.ts';
import { dayAndTime } from '../print/local-time.ts';
import { table } from '../print/table.ts';
import { harmless } from '../print/terminal-text.ts';

const DEFAULT_PORT = 9889;
const START_MS = 300_000;
const IDLE_MINUTES = 30;
/** A link that the browser opens itself is used at once; one for another person takes longer. */
const OWN_TTL_SECONDS = 60;
const LINK_TTL_SECONDS = 600;

const ACTIONS = ['open', 'revoke', 'sessions', 'audit'] as const;

async function run(input: InputOf<typeof FLAGS>): Promise<Output> {
  const [action = 'open'] = input.args;
  const files = serverFiles(input.settings.home);
  if (action === 'open') return open(input, files);
  const running = runningServer(files);
  if (!running)
    throw unavailable('no fleet server of this home is running', { hint: '"rouse dashboard" starts one' });
  const fleet = await clientOf(running, files, input.env);
  if (action === 'revoke') return revoke(input, fleet);
  return action === 'audit' ? audit(fleet) : sessions(fleet);
}

async function open(input: InputOf<typeof FLAGS>, files: ServerFiles): Promise<Output> {
  const { flags } = input;
  const running = runningServer(files) ?? (await startServer(input, files));
  const base = baseOf(running, flags);
  const fleet = await clientOf(running, files, input.env);
  const made = await fleet.call('page.codes.create', {
    body: {
      role: flags.role ?? (flags.link ? 'view' : 'operate'),
      name: flags.as ?? (flags.link ? 'guest' : os.userInfo().username),
      org: flags.org,
      ttl_seconds: flags.ttl ?? (flags.link ? LINK_TTL_SECONDS : OWN_TTL_SECONDS),
    },
  });
  const { PAGE_ROOT } = await import('../../wire/places.ts');
  // Behind the #, so that no server, log or proxy sees it.
  const url = `${base}${PAGE_ROOT}#code=${made.code}`;
  const data = { url, expires_at_utc: made.expires_at_utc };
  if (input.style === 'json') return { data };
  if (!flags.link && flags.open !== false && (await opened(url, files, input)))
    return { data, plain: `The page is at ${base}${PAGE_ROOT}; your browser opens it.` };
  const whom = flags.link ? `A link for ${made.name} with the role ${made.role}` : 'A link for you';
  const reach = flags.link && isLoopback(new URL(base).hostname) ? `\n${ONLY_HERE}` : '';
  return { data, plain: `${url}\n${whom}, valid once, until ${dayAndTime(made.expires_at_utc)}.${reach}` };
}

const ONLY_HERE =
  'It works on this host only; for a phone or another person see docs/dashboard.md, and use --public-url.';

async function opened(url: string, files: ServerFiles, input: Input): Promise<boolean> {
  const { openInBrowser } = await import('./open-browser.ts');
  return openInBrowser(url, files.directory, input.env);
}

/** A link for other people must be encrypted on its way, unless --insecure-http allows it. */
function baseOf(
  running: RecordedServer,
  { link, publicUrl, insecureHttp }: InputOf<typeof FLAGS>['flags'],
): string {
  const base = publicUrl ?? knownAs(running, link === true);
  if (link && !base.startsWith('https:') && !insecureHttp && !isLoopback(new URL(base).hostname))
    throw forbidden(`a link to ${base} would cross the network unencrypted`, {
      hint: 'put TLS in front and use --public-url https://…, or allow it with --insecure-http',
    });
  return base;
}

/** Its address, with the name on its certificate or its public name. */
function knownAs({ host, port, tls, public_url }: RecordedServer, isForOthers: boolean): string {
  if (public_url !== undefined && (tls || isForOthers)) return public_url;
  return `${tls ? 'https' : 'http'}://${hostOf(isLoopback(host) ? host : os.hostname())}:${port}`;
}

const isLoopback = (host: string): boolean =>
  ['localhost', '::1', '[::1]'].includes(host) || (isIPv4(host) && host.startsWith('127.'));
const hostOf = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/**
 * A client as the owner on loopback, otherwise with the administrator's token of this home. It uses no TLS: a server
 * accepts plain connections from its own machine, and the name on its certificate may not lead here.
 */
async function clientOf(
  running: RecordedServer,
  files: ServerFiles,
  env: NodeJS.ProcessEnv,
): Promise<FleetClient> {
  const { FleetClient, fleetClientOf, ownerToken } = await import('../../client/index.ts');
  const url = listenerUrl(running);
  if (!isLoopback(running.host)) return fleetClientOf({ url, tokenFile: files.adminToken });
  return new FleetClient({ url, token: ownerToken(env, url), timeoutMs: 15_000 });
}

/** Starts a background server for this host; it ends by itself when it is not used. */
async function startServer(input: Input, files: ServerFiles): Promise<RecordedServer> {
  const { packageRoot } = await import('../../session/index.ts');
  ensurePrivateDirectory(files.directory);
  const log = path.join(files.directory, 'dashboard.log');
  const port = (await isFree(DEFAULT_PORT)) ? DEFAULT_PORT : 0;
  const program = path.join(packageRoot(), 'dist', 'rouse.cjs');
  const words = [
    '--print-json',
    'server',
    'start',
    '--port',
    String(port),
    '--end-when-idle',
    String(IDLE_MINUTES),
  ];
  const out = fs.openSync(log, 'w', 0o600);
  input.progress('starting a server for this host');
  const child = spawn(process.execPath, [program, ...words], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', out, out],
    env: ownEnvironment(input),
  });
  fs.closeSync(out);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  let over = false;
  void ended.then(() => {
    over = true;
  });
  const deadline = systemClock.monotonic() + START_MS;
  while (!over && systemClock.monotonic() < deadline && !input.signal.aborted) {
    const running = runningServer(files);
    if (running) {
      child.unref();
      return running;
    }
    await sleep(systemClock, 100, input.signal);
  }
  const last = (readIfExists(log) ?? '').trim().split('\n').slice(-3).join('\n');
  throw unavailable(`the server did not start${last ? `: ${last}` : ''}`, { hint: `see ${log}` });
}

/**
 * The environment without what is not meant for the server: variables of the session this runs in, and a DATABASE_URL,
 * which is more often that of the person's own program.
 */
function ownEnvironment({ env, settings }: Input): NodeJS.ProcessEnv {
  const own = Object.entries(env).filter(
    ([name]) => !isHoumaoVariable(name) && !/^(TMUX.*|DATABASE_URL|ROUSE_DATABASE_DIRECT_URL)$/.test(name),
  );
  return { ...Object.fromEntries(own), ROUSE_HOME: settings.home };
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });
}

async function revoke({ flags }: InputOf<typeof FLAGS>, fleet: FleetClient): Promise<Output> {
  const ended = await fleet.call('page.revoke', { body: flags.as === undefined ? {} : { name: flags.as } });
  const whose = flags.as === undefined ? 'all' : `of ${flags.as}`;
  return {
    data: ended,
    plain: `Ended ${ended.sessions} sessions, ${ended.codes} unused links and the Web Push of ${ended.devices} browsers (${whose}).`,
  };
}

async function sessions(fleet: FleetClient): Promise<Output> {
  const data = await fleet.call('page.sessions.list', {});
  const plain = table(data.sessions, [
    { title: 'name', value: ({ name }) => harmless(name) },
    { title: 'role', value: ({ role }) => role },
    { title: 'tabs', value: ({ tabs }) => tabs, right: true },
    { title: 'since', value: ({ began_at_utc }) => dayAndTime(began_at_utc) },
    { title: 'last seen', value: ({ last_seen_at_utc }) => dayAndTime(last_seen_at_utc) },
  ]);
  return { data, plain: data.sessions.length > 0 ? plain : 'No one has the page open.' };
}

async function audit(fleet: FleetClient): Promise<Output> {
  const data = await fleet.call('page.audit', { limit: 100 });
  const plain = table(data.entries, [
    { title: 'time', value: ({ at_utc }) => dayAndTime(at_utc) },
    { title: 'name', value: ({ name }) => harmless(name) },
    { title: 'role', value: ({ role }) => role },
    { title: 'action', value: ({ action }) => action },
    { title: 'target', value: ({ target }) => (target === null ? null : harmless(target)), max: 40 },
    { title: 'outcome', value: ({ outcome }) => outcome },
  ]);
  return { data, plain: data.entries.length > 0 ? plain : 'Nothing has been done on the page yet.' };
}

function seconds(text: string): number {
  const [, number = '', unit = 's'] = /^(\d{1,6})(s|m|h)?$/.exec(text.trim()) ?? [];
  const value = Number(number) * { s: 1, m: 60, h: 3600 }[unit as 's' | 'm' | 'h'];
  if (number === '' || value < 1 || value > 86_400)
    throw invalid('must be a time such as 60, 90s, 10m or 2h, at most 24h');
  return value;
}

function webAddress(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
  throw invalid('must be a web address such as https://fleet.example.org');
}

const FLAGS = [
  { name: 'open', negatable: true, summary: 'open the browser (default); --no-open prints the link instead' },
  { name: 'link', summary: 'print a link for another person' },
  {
    name: 'role',
    value: 'ROLE',
    choices: codesOf(PAGE_ROLES),
    summary: 'what they may do (default: operate; with --link view)',
  },
  { name: 'as', value: 'NAME', summary: 'whose link it is; the audit shows this name', parse: notBlank },
  {
    name: 'org',
    value: 'ORG',
    summary: 'whose requests the role "answer" may answer (default: default)',
    parse: notBlank,
  },
  {
    name: 'ttl',
    value: 'TIME',
    summary: 'how long the link may be used, once: 60s, 10m (default: 60s; with --link 10m)',
    parse: seconds,
  },
  { name: 'public-url', value: 'URL', summary: 'address others reach the server at', parse: webAddress },
  { name: 'insecure-http', summary: 'allow a link for others over an unencrypted connection' },
] as const satisfies readonly Flag[];

const dashboard = command({
  ...FIRST_WORDS.dashboard,
  description:
    'Opens the page of the fleet server of this home in your browser, and starts a server for this host when none runs ' +
    `(in the background; "rouse server stop" ends it, and it ends by itself after ${IDLE_MINUTES} minutes with no open tab and ` +
    'no agent heartbeat). The link works once. "revoke" ends sessions and links, "sessions" lists open pages, "audit" what was done.',
  examples: [
    'rouse dashboard',
    'rouse dashboard --no-open --print-json',
    'rouse dashboard --link --role view --as ana --ttl 10m',
    'rouse dashboard revoke --as ana',
    'rouse dashboard audit',
  ],
  args: [
    {
      name: 'action',
      summary: 'open (default), revoke, sessions or audit',
      optional: true,
      choices: ACTIONS,
    },
  ],
  flags: FLAGS,
  run,
});

export default dashboard;
