import * as path from 'node:path';
import { forbidden, invalid, nearest, notFound } from '../../base/index.ts';
import { type Config, type Preset, presetOf, readCarefully, type Setting } from '../../config/index.ts';
import type { LaunchOptions } from '../../session/index.ts';
import type { Tool } from '../../tools/index.ts';
import type { Input } from '../command.ts';
import { harmless } from '../print/terminal-text.ts';

/** The launch options that a file can set. Flags are in `options` already and win. */
type FromFiles = Pick<LaunchOptions, 'tool' | 'args' | 'rolePrompt' | 'home' | 'env'>;

/**
 * Adds the presets of the files to a launch. A preset with a tool's own name applies to every launch of that tool, also
 * when a preset of another name leads to it. `byProject`: a project's file names the tool. What a project's file sets is
 * checked again here, against what is known of the tool.
 */
export async function withPreset<Options extends FromFiles>(
  config: Config,
  options: Options,
  byProject = false,
): Promise<Options> {
  const chosen = presetOf(config, options.tool);
  const tool = chosen?.value.tool ?? options.tool;
  const usual = tool === options.tool ? undefined : presetOf(config, tool);
  const layers = [usual, chosen].filter((layer) => layer !== undefined);
  if (byProject && !layers.some((layer) => !layer.byProject))
    await checkPreset({ value: {}, byProject, source: config.project?.path ?? '' }, tool);
  if (layers.length === 0) return options;
  for (const layer of layers) await checkPreset(layer, tool);
  const env = Object.assign({}, ...layers.map(({ value }) => value.env ?? {}));
  const last = <T>(read: (layer: Setting<Preset>) => T | undefined): T | undefined =>
    layers.map(read).findLast((value) => value !== undefined);
  return {
    ...options,
    tool,
    args: [...layers.flatMap(({ value }) => value.args ?? []), ...options.args],
    rolePrompt: options.rolePrompt ?? last(roleOf),
    home: options.home ?? last(({ value }) => value.home),
    env: Object.keys(env).length > 0 ? { ...env, ...options.env } : options.env,
  };
}

/** Warns that a project's file is ignored, so that no one wonders why an agent starts without its settings. */
export function noteUntrusted({ settings, style, err }: Input): void {
  const { project } = settings.config;
  if (!project || project.state === 'trusted' || style === 'json') return;
  const why = project.state === 'changed' ? 'it changed since you trusted it' : 'it is not trusted yet';
  const trust = 'look at it, then run "rouse config trust"';
  const reason = project.problem?.message ?? `${why}; ${trust}`;
  err(`${harmless(`note: ${project.path} is ignored: ${reason}`)}\n`);
}

/** The role text of a preset or team member. */
export function roleOf({
  value,
  byProject,
}: Setting<{ role?: string; role_file?: string }>): string | undefined {
  if (value.role_file === undefined) return value.role;
  const file = readCarefully(path.resolve(value.role_file), { links: byProject ? 'refused' : 'followed' });
  if (!file) throw notFound(`there is no role file ${value.role_file}`);
  const text = file.bytes.toString('utf8').trim();
  if (text === '') throw invalid(`the role file ${value.role_file} is empty`);
  if (byProject && !/^[\p{L}\p{N}#]/u.test(text))
    throw invalid(`the role file ${value.role_file} must begin with a letter, a digit or #`);
  return text;
}

/** A project's preset may only name a known tool, with arguments that grant no permissions. */
export async function checkPreset(
  { value, byProject, source }: Setting<Preset>,
  tool: string,
): Promise<void> {
  if (!byProject) return;
  const { toolNames, toolOf } = await import('../../tools/index.ts');
  const known = toolOf(tool);
  if (!known) {
    const [close] = nearest(tool, toolNames());
    throw invalid(`${source}: there is no tool "${tool}"`, {
      hint: close ? `did you mean "${close}"?` : `known: ${toolNames().join(', ')}`,
    });
  }
  refuseOthers(value.args ?? [], known, source);
}

function refuseOthers(args: readonly string[], { name, harmlessFlags = [] }: Tool, source: string): void {
  for (let i = 0; i < args.length; i++) {
    const [flag, joined] = splitFlag(args[i]!);
    const isKnown = harmlessFlags.includes(flag);
    const value = isKnown ? (joined ?? args[++i]) : undefined;
    if (value !== undefined && !value.startsWith('-')) continue;
    throw forbidden(`${source}: a project's file cannot pass ${name} the argument "${value ?? flag}"`, {
      hint: `it may pass ${harmlessFlags.join(', ')}, each with its value; put the others into your own config.toml`,
    });
  }
}

function splitFlag(word: string): [string, string | undefined] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}
