import { shellQuote, writeFileAtomic } from '../../base/index.ts';

/** They belong to the terminal or shell of whoever calls, or cannot be set by a shell. */
const OF_THE_TERMINAL = [
  'TMUX',
  'TMUX_PANE',
  'TERM',
  'TERM_PROGRAM',
  'TERM_PROGRAM_VERSION',
  'COLUMNS',
  'LINES',
  'SHLVL',
  'PWD',
  'OLDPWD',
  '_',
  'IFS',
  'UID',
  'EUID',
  'PPID',
  'BASHOPTS',
  'SHELLOPTS',
  'BASH_VERSINFO',
];

/** They name another agent's session and its gateway. */
const OF_A_SESSION = [
  'HOUMAO_MANIFEST_PATH',
  'HOUMAO_AGENT_ID',
  'HOUMAO_AGENT_DEF_DIR',
  'HOUMAO_AGENT_GATEWAY_HOST',
  'HOUMAO_AGENT_GATEWAY_PORT',
  'HOUMAO_GATEWAY_STATE_PATH',
  'HOUMAO_GATEWAY_PROTOCOL_VERSION',
  'HOUMAO_GATEWAY_EXECUTION_MODE',
  'HOUMAO_GATEWAY_TMUX_WINDOW_ID',
  'HOUMAO_GATEWAY_TMUX_WINDOW_INDEX',
  'HOUMAO_GATEWAY_TMUX_PANE_ID',
  'ROUSE_CLOCK_SHIFT_FILE',
  'ROUSE_CRASH_AT',
];

/** Never for a program that is started in a pane, wherever it comes from. The last says where a person's token is: an
 * agent has its own. */
export const NEVER_IN_A_PANE: readonly string[] = [...OF_A_SESSION, 'ROUSE_FLEET_TOKEN_FILE'];

const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The caller's environment as a program started for it should have it. */
export function handedEnvironment(
  env: NodeJS.ProcessEnv,
  dropped: Iterable<string> = [],
): Record<string, string> {
  const drop = new Set([...OF_THE_TERMINAL, ...NEVER_IN_A_PANE, ...dropped]);
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && SHELL_NAME.test(entry[0]) && !drop.has(entry[0]),
    ),
  );
}

/**
 * An environment on its way into a tmux pane. tmux shows its own environment and every argument to whoever may
 * ask, so credentials travel in a file only its owner can read, which the pane's first command reads and removes.
 */
export function writeEnvironmentFile(file: string, env: Record<string, string>): void {
  const lines = Object.entries(env).map(([name, value]) => `export ${name}=${shellQuote(value)}\n`);
  writeFileAtomic(file, lines.join(''), { mode: 0o600, durable: false });
}

/** Harmless parts of the environment, for programs that outlive us and show theirs: the tmux server. */
const HARMLESS =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLORTERM|TMUX|TMUX_TMPDIR|TMPDIR|DISPLAY|WAYLAND_DISPLAY|XDG_[A-Z_]+|SSH_AUTH_SOCK|SSH_CONNECTION|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS)$/;

/** A tmux server keeps the environment of whoever started it, for every later session to see. One of our own gets this. */
export function harmlessEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => HARMLESS.test(name)));
}

/** The default server belongs to the person: their later sessions have their variables, but no agent's pointers. */
export function serverEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OF_A_SESSION.includes(name)));
}
