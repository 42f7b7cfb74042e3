import {
  anyOf,
  codesOf,
  EXECUTION_MODES,
  LIMITS,
  SERVER_SETTINGS,
  serverSettingMeaning,
} from '../domain/index.ts';
import { VARIABLE } from './houmao/index.ts';

/** Every variable Rouse reads or publishes. docs/environment.md is generated from this table. */
export interface Variable {
  name: string;
  /**
   * setting: read from the caller's environment. limit: the same, from limits.ts. stable, live: published in the agent's tmux
   * session, for good or while a gateway runs. process: passed to a process that Rouse starts. retired: from older protocols,
   * or without effect here. debug: for tests.
   */
  kind: 'setting' | 'limit' | 'stable' | 'live' | 'process' | 'retired' | 'debug';
  meaning: string;
}

const variable = (name: string, kind: Variable['kind'], meaning: string): Variable => ({
  name,
  kind,
  meaning,
});

const SERVER_VARIABLES = codesOf(SERVER_SETTINGS).map((name) =>
  variable(SERVER_SETTINGS[name].variable, 'setting', serverSettingMeaning(name)),
);

export const VARIABLES = [
  variable('ROUSE_HOME', 'setting', 'Root of everything Rouse keeps. Default `~/.rouse`.'),
  variable(
    'ROUSE_CONFIG',
    'setting',
    "Your configuration file, as an absolute path; `none`: no file is read, no project's either. Default `$XDG_CONFIG_HOME/rouse/config.toml`, with `~/.config` for an unset `XDG_CONFIG_HOME`.",
  ),
  variable(
    'ROUSE_TMUX_SOCKET',
    'setting',
    "Name or path of the tmux socket; recorded per session. Default: tmux's own.",
  ),
  variable(
    'ROUSE_CAO_HOSTS',
    'setting',
    'Names of this host, separated by `,`, by which a CAO server may be called besides `localhost` and `127.0.0.1`. Default: none.',
  ),
  variable(
    'ROUSE_TOOLS',
    'setting',
    'Modules with tools of your own, as absolute paths separated by `:`; see `docs/agents.md`. Default: none.',
  ),
  variable(
    'ROUSE_HOST_NAME',
    'setting',
    'Name of this host in lists and errors of the fleet. Default: the host name of the system.',
  ),
  variable(
    'ROUSE_FLEET_URL',
    'setting',
    'Fleet server that agents register with at launch and that commands call; several servers of one database are separated by `,`, and the first that answers is used. Default for commands: `http://127.0.0.1:9889`.',
  ),
  variable(
    'ROUSE_FLEET_CA',
    'setting',
    'PEM file, as an absolute path, with the authorities that are trusted for the certificate of a fleet server with TLS; recorded per session. Default: those of Node.',
  ),
  variable(
    'DATABASE_URL',
    'setting',
    'PostgreSQL server of the fleet server: `postgresql://user:password@host/database`. Default: the embedded database.',
  ),
  variable(
    'ROUSE_DATABASE_DIRECT_URL',
    'setting',
    'The same database without the connection pooler that `DATABASE_URL` leads to; needed where the pooler is in transaction mode. Default: `DATABASE_URL` is no such pooler.',
  ),
  variable(
    'ROUSE_FLEET_TOKEN_FILE',
    'setting',
    'File, 0600, with the token for the fleet server. Default `$ROUSE_HOME/server/admin-token`.',
  ),
  ...SERVER_VARIABLES,
  variable(
    'REQUEST_NUDGE_SWEEPER_DISABLED',
    'setting',
    '`true`: the fleet server sends no reminders of unanswered requests.',
  ),
  variable(
    'REQUEST_NUDGE_BACKOFF',
    'setting',
    '`true`: the wait doubles after each unanswered nudge, up to a day.',
  ),
  variable(VARIABLE.runtimeDir, 'setting', 'Absolute directory of sessions. Default `$ROUSE_HOME/runtime`.'),
  variable(
    VARIABLE.mailboxDir,
    'setting',
    'Absolute directory of the mailbox root. Default `$ROUSE_HOME/mailbox`.',
  ),
  variable(
    VARIABLE.registryDir,
    'setting',
    'Absolute directory of the agent registry. Default `$ROUSE_HOME/registry`.',
  ),
  variable(VARIABLE.printStyle, 'setting', 'Output of commands: `plain` (default), `json` or `fancy`.'),
  variable(
    VARIABLE.gatewayTokenFile,
    'setting',
    'File with the bearer token of a gateway that requires one. Default `<session>/gateway/token`.',
  ),
  variable(
    'ROUSE_PEER_CHECK',
    'setting',
    'How servers on loopback recognise their owner: `kernel` asks which account connects; `token` requires a token from a 0600 file, which our own commands send automatically. Default `kernel` on Linux; elsewhere always `token`.',
  ),
  variable(
    'ROUSE_WIRE',
    'setting',
    'Fields in responses of a gateway and the fleet server: `rouse` all of ours, `houmao` only those that clients of Houmao know, except for callers that send `X-Rouse: 1`; see `docs/compatibility.md`. A gateway uses the value it was attached with. Default `rouse`.',
  ),
  variable(
    VARIABLE.gatewayHost,
    'live',
    'Host the gateway is bound to; in the caller of attach, the host to bind.',
  ),
  variable(
    VARIABLE.gatewayPort,
    'live',
    'Port the gateway is bound to; in the caller of attach, the port to bind.',
  ),
  variable(VARIABLE.gatewayState, 'live', "Absolute path of the session's state.json."),
  variable(VARIABLE.gatewayProtocol, 'live', 'Protocol of the live gateway: `v1`.'),
  variable(VARIABLE.manifestPath, 'stable', "Absolute path of the session's manifest.json."),
  variable(VARIABLE.agentId, 'stable', 'Authoritative id of the agent.'),
  variable(
    'ROUSE_MCP_TOKEN',
    'stable',
    "The agent's own token for `/mcp` of its gateway; not valid on any other route.",
  ),
  variable(VARIABLE.agentDefDir, 'stable', 'Directory of the agent definition, where there is one.'),
  variable(VARIABLE.agentMemoryDir, 'stable', "Directory of the agent's memory, where there is one."),
  variable(VARIABLE.agentMemoFile, 'stable', "The agent's memo file, where there is one."),
  variable(VARIABLE.agentPagesDir, 'stable', "Directory of the agent's memory pages, where there is one."),
  variable(
    VARIABLE.executionMode,
    'process',
    `How the gateway runs: ${anyOf(codesOf(EXECUTION_MODES).map((mode) => `\`${mode}\``))}.`,
  ),
  variable(VARIABLE.windowId, 'process', 'The tmux window the gateway runs in, such as `@3`.'),
  variable(VARIABLE.windowIndex, 'process', 'Index of that window; never `0`.'),
  variable(VARIABLE.paneId, 'process', 'Pane the gateway runs in, such as `%5`.'),
  variable(
    'ROUSE_SAVED_EXTRA_CA_CERTS',
    'process',
    'The value of `NODE_EXTRA_CA_CERTS`, which the launcher unsets because reading it takes 60 ms at each start.',
  ),
  variable(
    'ROUSE_CALLED_AS',
    'process',
    'The name the launcher was called by, when that is `houmao-mgr`: suggested commands use it.',
  ),
  variable(VARIABLE.oldAttachPath, 'retired', 'Older pointer to attach.json; unset on publication.'),
  variable(
    VARIABLE.oldGatewayRoot,
    'retired',
    'Older pointer to the gateway directory; unset on publication.',
  ),
  variable(VARIABLE.oldProxy, 'retired', 'Has no effect: gateway clients never use a proxy.'),
  variable(
    VARIABLE.oldOverlayDir,
    'retired',
    'Has no effect: Rouse keeps no project overlay; use `ROUSE_HOME`.',
  ),
  variable(VARIABLE.oldOverlayMode, 'retired', 'Has no effect, for the same reason.'),
  variable(VARIABLE.oldStalwartUrl, 'retired', 'Has no effect: there is no JMAP transport yet.'),
  variable(
    'ROUSE_GATEWAY_RESTARTS',
    'setting',
    'How often within ten minutes a gateway that ended unexpectedly is started again; after that it stays down. 0: never. Default 5.',
  ),
  variable(
    'ROUSE_GATEWAY_RESTART_SECONDS',
    'setting',
    'The pause in seconds before the first such restart; each further pause is twice as long, at most 60. Default 1.',
  ),
  variable('ROUSE_DEBUG', 'debug', 'When set, internal errors are printed with their stack.'),
  variable(
    'ROUSE_CLOCK_SHIFT_FILE',
    'debug',
    'A file with the milliseconds by which a test shifts the wall clock of a gateway.',
  ),
  variable('ROUSE_CRASH_AT', 'debug', 'The instant at which a test kills the process: `room.step@n`.'),
  ...Object.values(LIMITS).map(({ variable: name, standard, meaning, max }) =>
    variable(
      name,
      'limit',
      `${meaning}. Default ${standard}${max < Number.MAX_SAFE_INTEGER ? `, at most ${max}` : ''}.`,
    ),
  ),
] as const satisfies readonly Variable[];

const HEADINGS: [Variable['kind'], string][] = [
  ['setting', 'Settings'],
  ['limit', 'Limits'],
  ['stable', "Published in the agent's tmux session"],
  ['live', 'Published there while a gateway runs'],
  ['process', 'Passed to processes that Rouse starts'],
  ['retired', 'Retired'],
  ['debug', 'For debugging'],
];

const INTRODUCTIONS: Partial<Record<Variable['kind'], string[]>> = {
  limit: [
    '',
    'Maximums for input that others control. They are read once, when a program starts: a gateway has the limits of the environment',
    'it was attached from, the fleet server those it was started with, a command its own. Beyond a limit nothing is changed, and the',
    'error names the limit; a connection too many is closed without a message.',
  ],
};

/** docs/environment.md. */
export function environmentMarkdown(): string {
  const sections = HEADINGS.map(([kind, heading]) => {
    const rows = VARIABLES.filter((each) => each.kind === kind).map(
      (each) => `| \`${each.name}\` | ${each.meaning} |`,
    );
    return [
      `## ${heading}`,
      ...(INTRODUCTIONS[kind] ?? []),
      '',
      '| Variable | Meaning |',
      '|---|---|',
      ...rows,
      '',
    ].join('\n');
  });
  return [
    '# Environment',
    '',
    'Generated from `src/wire/env.ts` by `scripts/openapi.mjs`.',
    '',
    ...sections,
  ].join('\n');
}
