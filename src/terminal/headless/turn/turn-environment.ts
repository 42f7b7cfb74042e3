import * as path from 'node:path';
import { proxyExceptions, readIfExists } from '../../../base/index.ts';
import { TOOLS } from '../../../tools/index.ts';
import { launchFact } from '../../surface-manifest.ts';
import type { HeadlessManifest } from '../headless-manifest.ts';

/** They belong to the gateway or to a terminal. */
const NOT_FOR_THE_TOOL =
  /^(TMUX|TMUX_PANE|TERM|TERM_PROGRAM|TERM_PROGRAM_VERSION|COLUMNS|LINES|SHLVL|PWD|OLDPWD|_|ROUSE_CLOCK_SHIFT_FILE|ROUSE_CRASH_AT|HOUMAO_GATEWAY_(EXECUTION_MODE|TMUX_[A-Z_]+))$/;

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
    ...(home?.env_var && home.home_path && { [home.env_var]: home.home_path }),
    ...Object.fromEntries(literals),
    ...proxyExceptions(handed),
    ...agentToken(manifest),
    TERM: 'dumb',
    HOUMAO_MANIFEST_PATH: path.join(sessionRoot, 'manifest.json'),
    ...(manifest.agent_id && { HOUMAO_AGENT_ID: manifest.agent_id }),
  };
}

/** For a tool that takes the token of its own MCP server from its environment. */
function agentToken(manifest: HeadlessManifest): Record<string, string> {
  const variable = launchFact(manifest, 'mcp_token_variable');
  const file = launchFact(manifest, 'mcp_token_file');
  const token = file && readIfExists(file)?.trim();
  return variable && token ? { [variable]: token } : {};
}
