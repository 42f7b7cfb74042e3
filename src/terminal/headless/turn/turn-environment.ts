import * as path from 'node:path';
import { TOOLS } from '../../../tools/index.ts';
import type { HeadlessManifest } from '../headless-manifest.ts';

/** They belong to the gateway or to a terminal. */
const NOT_FOR_THE_TOOL =
  /^(TMUX|TMUX_PANE|TERM|TERM_PROGRAM|TERM_PROGRAM_VERSION|COLUMNS|LINES|SHLVL|PWD|OLDPWD|_|ROUSE_CLOCK_SHIFT_FILE|ROUSE_CRASH_AT|HOUMAO_GATEWAY_(EXECUTION_MODE|TMUX_[A-Z_]+))$/;

const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];

/**
 * The environment of a turn: the gateway's own, which is that of whoever attached it, the tool's home, the variables of
 * a join, and where the tool belongs; without what would make a tool think that it runs inside another instance of itself. It
 * stands in no argument and in no file.
 */
export function turnEnvironment(
  manifest: HeadlessManifest,
  sessionRoot: string,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const nested = new Set(TOOLS.flatMap((tool) => tool.process.nestedMarks));
  const handed = Object.fromEntries(
    Object.entries(env).filter(([name]) => !NOT_FOR_THE_TOOL.test(name) && !nested.has(name)),
  );
  const home = manifest.launch_plan.home_selector;
  const literals = (manifest.agent_launch_authority?.launch_env ?? []).flatMap((each) =>
    each.mode === 'literal' ? [[each.name, each.value]] : [],
  );
  return {
    ...handed,
    ...Object.fromEntries(literals),
    ...(home?.env_var && home.home_path && { [home.env_var]: home.home_path }),
    ...proxyExceptions(handed),
    TERM: 'dumb',
    HOUMAO_MANIFEST_PATH: path.join(sessionRoot, 'manifest.json'),
    ...(manifest.agent_id && { HOUMAO_AGENT_ID: manifest.agent_id }),
  };
}

/** The agent must reach its gateway on this machine, whatever proxy it uses for the world. */
function proxyExceptions(env: NodeJS.ProcessEnv): Record<string, string> {
  if (!Object.keys(env).some((name) => /^(https?|all)_proxy$/i.test(name))) return {};
  const given = (env['NO_PROXY'] ?? env['no_proxy'] ?? '').split(',').map((host) => host.trim());
  const hosts = [...new Set([...given.filter((host) => host !== ''), ...LOOPBACK])].join(',');
  return { NO_PROXY: hosts, no_proxy: hosts };
}
