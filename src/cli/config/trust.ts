import * as os from 'node:os';
import * as path from 'node:path';
import { forbidden, invalid, notFound } from '../../base/index.ts';
import { checkFile } from '../../config/check-file.ts';
import {
  type CarefulFile,
  type Config,
  presetOf,
  readCarefully,
  settingKeys,
  settingOf,
  teamOf,
  trustProject,
  untrustProject,
} from '../../config/index.ts';
import { command, type Input, type Output } from '../command.ts';
import { table } from '../print/table.ts';
import { harmless } from '../print/terminal-text.ts';
import { choices, readConfig } from '../settings.ts';
import { checkPreset, withPreset } from './preset.ts';

const FILE = {
  name: 'file',
  summary: 'a .rouse.toml, or its directory (default: the nearest one)',
  optional: true,
};

/** Reads the file once, so that the bytes checked are the bytes shown and trusted. */
async function runTrust({ args, env, settings }: Input): Promise<Output> {
  const file = await chosenFile(args[0], env);
  const checked = checkFile(file, { byProject: true, person: env['HOME'] || os.homedir() });
  const own = (await readConfig(env)).own;
  const config: Config = {
    own,
    project: { path: file.path, file, checked, state: 'trusted', problem: undefined },
  };
  choices(env, config);
  await checkTools(config);
  trustProject(settings.home, file, env);
  const values = settingKeys({
    own: { path: '', file: undefined, checked: undefined },
    project: config.project,
  }).map((key) => ({ key, value: settingOf(config, key)?.value }));
  return {
    data: { status: 'ok', path: file.path, values },
    plain: [
      harmless(`${file.path}: trusted until it changes. It says:`),
      values.length > 0
        ? table(values, [
            { title: 'key', value: ({ key }) => key },
            { title: 'value', value: ({ value }) => value },
          ])
        : 'nothing',
    ].join('\n'),
  };
}

/** Refuses now whatever would be refused when an agent is started. */
async function checkTools(config: Config): Promise<void> {
  const project = config.project?.checked?.values;
  for (const [name, value] of Object.entries(project?.tools ?? {})) {
    const setting = {
      value,
      byProject: true,
      source: config.project!.checked!.sourceOf(`tools.${name}.args`),
    };
    await checkPreset(setting, value.tool ?? name);
  }
  for (const [name, { value }] of teamOf(config)?.members ?? []) {
    const source = config.project?.checked?.sourceOf(`team.${name}.tool`) ?? '';
    if (value.tool === undefined)
      throw invalid(`${source}: team.${name} names no tool`, {
        hint: `write tool = "claude" below [team.${name}]`,
      });
    if (presetOf(config, value.tool)) await withPreset(config, { tool: value.tool, args: [] });
    else await checkPreset({ value: {}, byProject: true, source }, value.tool);
  }
}

async function chosenFile(given: string | undefined, env: NodeJS.ProcessEnv): Promise<CarefulFile> {
  if (given === undefined) {
    const project = (await readConfig(env)).project;
    if (project?.file) return project.file;
    if (project?.problem) throw project.problem;
    throw notFound('there is no .rouse.toml in this directory or above it');
  }
  const place = projectFile(given);
  const file = readCarefully(place, { links: 'refused' });
  if (file) return file;
  throw notFound(`there is no file ${place}`);
}

function projectFile(given: string): string {
  const place = path.resolve(given);
  if (path.basename(place) === '.rouse.toml') return place;
  if (place.endsWith('.toml'))
    throw forbidden(`${place} is not a project's file: those are called .rouse.toml`);
  return path.join(place, '.rouse.toml');
}

async function runUntrust({ args, env, settings }: Input): Promise<Output> {
  const nearest = args[0] === undefined ? (await readConfig(env)).project?.path : projectFile(args[0]);
  if (nearest === undefined) throw notFound('there is no .rouse.toml in this directory or above it');
  untrustProject(settings.home, nearest);
  return {
    data: { status: 'ok', path: nearest },
    plain: `${nearest} is no longer trusted, so it is ignored`,
  };
}

export const trust = {
  ...command({
    name: 'trust',
    summary: "use a project's .rouse.toml, as it is now",
    description:
      "Checks the file and shows what it says. When the file changes, it is ignored until you trust it again. An agent's own session cannot do this.",
    examples: ['rouse config trust', 'rouse config trust ~/src/app'],
    args: [FILE],
    flags: [],
    run: runTrust,
  }),
  despiteConfig: true,
};

export const untrust = {
  ...command({
    name: 'untrust',
    summary: "stop using a project's .rouse.toml",
    examples: ['rouse config untrust', 'rouse config untrust ~/src/app'],
    args: [FILE],
    flags: [],
    run: runUntrust,
  }),
  despiteConfig: true,
};
