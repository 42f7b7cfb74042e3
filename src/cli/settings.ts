import * as os from 'node:os';
import * as path from 'node:path';
import { invalid } from '../base/index.ts';
import { type Config, loadConfig, settingKeys, settingOf, type WakePolicy } from '../config/index.ts';
import { VARIABLE } from '../wire/houmao/index.ts';

/**
 * Where files are kept and how agents are started and woken. Read once, then passed down: the environment, else a file, else
 * the default; a flag of a command wins over all of them.
 */
export interface Settings {
  home: string;
  runtimeDir: string;
  mailboxDir: string;
  registryDir: string;
  /** A tmux socket name or path; undefined means tmux's own default. */
  tmuxSocket: string | undefined;
  /** The fleet server that agents register with; undefined: none. */
  fleet: { url: string; tokenFile: string; caFile?: string | undefined } | undefined;
  /** The default token for a fleet server. */
  fleetTokenFile: string;
  /** The wake settings of the files. */
  wake: WakePolicy;
  /** Who chose the mail store. */
  mailboxFrom: Choice['from'];
  /** The files: presets, the team, and a project's file that is not trusted. */
  config: Config;
}

/** A value, and where it comes from. */
export interface Choice {
  key: string;
  value: unknown;
  from: 'environment' | 'file' | 'default';
  /** The variable, the file with its line, or `default`. */
  source: string;
}

const NOTHING: Config = { own: { path: 'none', file: undefined, checked: undefined }, project: undefined };

export function readConfig(env: NodeJS.ProcessEnv): Promise<Config> {
  return loadConfig({ env, cwd: workingDirectory(), home: homeOf(env) });
}

/** The working directory may have been removed; then there is no project either. */
export function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}

export function readSettings(env: NodeJS.ProcessEnv, config: Config = NOTHING): Settings {
  const home = homeOf(env);
  const place = (name: string): Choice => placeOf(env, config, name);
  const wake = settingKeys(config)
    .filter((key) => key.startsWith('wake.'))
    .map((key) => [key.slice('wake.'.length), settingOf(config, key)!.value]);
  const mailbox = place('mailbox_root');
  return {
    home,
    runtimeDir: String(place('runtime_dir').value),
    mailboxDir: String(mailbox.value),
    registryDir: String(place('registry_dir').value),
    tmuxSocket: (place('tmux_socket').value as string | null) ?? undefined,
    fleet: fleetOf(env, config),
    fleetTokenFile: tokenFileOf(env),
    wake: Object.fromEntries(wake) as WakePolicy,
    mailboxFrom: mailbox.from,
    config,
  };
}

/** Every setting with its source; settings that only files have, unchanged. */
export function choices(env: NodeJS.ProcessEnv, config: Config): Choice[] {
  const fixed = ['home', ...PLACES.map(({ key }) => key)].map((key) => placeOf(env, config, key));
  const keys = new Set(fixed.map(({ key }) => key));
  const fleet = fleetChoices(env, config);
  for (const { key } of fleet) keys.add(key);
  const rest = settingKeys(config)
    .filter((key) => !keys.has(key))
    .map((key) => fileChoice(config, key)!);
  return [...fixed, ...fleet, ...rest];
}

const PLACES: { key: string; variable: string; standard: (home: string) => string | null }[] = [
  {
    key: 'runtime_dir',
    variable: VARIABLE.runtimeDir,
    standard: (home) => path.join(home, 'runtime'),
  },
  {
    key: 'mailbox_root',
    variable: VARIABLE.mailboxDir,
    standard: (home) => path.join(home, 'mailbox'),
  },
  {
    key: 'registry_dir',
    variable: VARIABLE.registryDir,
    standard: (home) => path.join(home, 'registry'),
  },
  { key: 'tmux_socket', variable: 'ROUSE_TMUX_SOCKET', standard: () => null },
];

function placeOf(env: NodeJS.ProcessEnv, config: Config, key: string): Choice {
  const row = PLACES.find((each) => each.key === key);
  const variable = row?.variable ?? 'ROUSE_HOME';
  const given = key === 'tmux_socket' ? env[variable] || undefined : absolute(env, variable);
  if (given !== undefined) return { key, value: given, from: 'environment', source: variable };
  const setting = fileChoice(config, key);
  if (setting) return setting;
  const home = homeOf(env);
  return { key, value: row ? row.standard(home) : home, from: 'default', source: 'default' };
}

function fileChoice(config: Config, key: string): Choice | undefined {
  const setting = settingOf(config, key);
  if (!setting) return undefined;
  return {
    key,
    value: setting.value,
    from: 'file',
    get source() {
      return setting.source;
    },
  };
}

function homeOf(env: NodeJS.ProcessEnv): string {
  return absolute(env, 'ROUSE_HOME') ?? path.join(env['HOME'] || os.homedir(), '.rouse');
}

function tokenFileOf(env: NodeJS.ProcessEnv): string {
  return absolute(env, 'ROUSE_FLEET_TOKEN_FILE') ?? path.join(homeOf(env), 'server', 'admin-token');
}

/** A token that a file names for a fleet is used for that fleet only; one from the environment for any. */
function fleetOf(env: NodeJS.ProcessEnv, config: Config): Settings['fleet'] {
  const url = env['ROUSE_FLEET_URL'];
  const caFile = absolute(env, 'ROUSE_FLEET_CA');
  if (url) return { url, tokenFile: tokenFileOf(env), caFile };
  const chosen = chosenFleet(config);
  if (!chosen) return undefined;
  const own = env['ROUSE_FLEET_TOKEN_FILE'] ? undefined : chosen.tokenFile;
  return { url: chosen.url, tokenFile: own ?? tokenFileOf(env), caFile };
}

/** Chosen by name from the person's own file: a project must not decide where tokens are sent. */
function chosenFleet(
  config: Config,
): { name: string; url: string; tokenFile: string | undefined } | undefined {
  const setting = settingOf(config, 'fleet');
  if (!setting) return undefined;
  const name = String(setting.value);
  const fleets = config.own.checked?.values.fleets ?? {};
  const url = fleets[name]?.url;
  if (url !== undefined) return { name, url, tokenFile: fleets[name]?.token_file };
  const known = Object.keys(fleets).join(', ');
  throw invalid(`${setting.source}: there is no fleet "${name}" with a url in ${config.own.path}`, {
    hint: known ? `there are: ${known}` : `write [fleets.${name}] and its url there`,
  });
}

function fleetChoices(env: NodeJS.ProcessEnv, config: Config): Choice[] {
  const fleet = fleetOf(env, config);
  const fromEnv = (name: string): Omit<Choice, 'key' | 'value'> | undefined =>
    env[name] ? { from: 'environment', source: name } : undefined;
  const fromFile = (key: string): Omit<Choice, 'key' | 'value'> | undefined => {
    const setting = env['ROUSE_FLEET_URL'] ? undefined : fileChoice(config, key);
    return setting && { from: setting.from, source: setting.source };
  };
  const name = settingOf(config, 'fleet')?.value;
  const standard = { from: 'default', source: 'default' } as const;
  return [
    {
      key: 'fleet_url',
      value: fleet?.url ?? null,
      ...(fromEnv('ROUSE_FLEET_URL') ?? fromFile('fleet') ?? standard),
    },
    {
      key: 'fleet_token_file',
      value: fleet?.tokenFile ?? tokenFileOf(env),
      ...(fromEnv('ROUSE_FLEET_TOKEN_FILE') ?? fromFile(`fleets.${name}.token_file`) ?? standard),
    },
  ];
}

function absolute(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = env[name];
  if (!value) return undefined;
  if (!path.isAbsolute(value))
    throw invalid(`${name} must be an absolute path, but is "${value}"`, {
      hint: `set it to ${path.resolve(value)}, or leave it unset`,
    });
  return path.normalize(value);
}
