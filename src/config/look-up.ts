import { type Config, type ConfigFile, type ConfigPlace, loadConfig } from './load-config.ts';
import type { Member, Preset, Setting } from './values.ts';

/** The value of a key: from the project's file, else from the person's own. */
export function settingOf(config: Config, key: string): Setting<unknown> | undefined {
  return one(config.project, key, true) ?? one(config.own, key, false);
}

/** The person's own preset wins over the project's: it may allow less than the tool does by default. */
export function presetOf(config: Config, name: string): Setting<Preset> | undefined {
  const key = `tools.${name}`;
  return (one(config.own, key, false) ?? one(config.project, key, true)) as Setting<Preset> | undefined;
}

/** The team of the project's file, else of the person's own. */
export function teamOf(config: Config): { file: string; members: [string, Setting<Member>][] } | undefined {
  for (const [file, byProject] of [
    [config.project, true],
    [config.own, false],
  ] as const) {
    const team = file?.checked?.values.team;
    if (!file || !team || Object.keys(team).length === 0) continue;
    const members = Object.entries(team).map(([name, value]): [string, Setting<Member>] => [
      name,
      { value, byProject, source: file.path },
    ]);
    return { file: file.path, members };
  }
  return undefined;
}

/** The names in the team of the project's file. */
export function projectMembers(config: Config): string[] {
  return Object.keys(config.project?.checked?.values.team ?? {});
}

/** The same for the project of any directory. */
export async function membersAt(place: ConfigPlace): Promise<string[]> {
  return projectMembers(await loadConfig(place));
}

/** Every key that has a value in a file that is used. */
export function settingKeys(config: Config): string[] {
  return [...new Set([...(config.project?.checked?.keys ?? []), ...(config.own.checked?.keys ?? [])])];
}

function one(file: ConfigFile | undefined, key: string, byProject: boolean): Setting<unknown> | undefined {
  const checked = file?.checked;
  if (!checked) return undefined;
  let value: unknown = checked.values;
  for (const word of key.split('.'))
    value =
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[word] : undefined;
  return value === undefined
    ? undefined
    : {
        value,
        byProject,
        get source() {
          return checked.sourceOf(key);
        },
      };
}
