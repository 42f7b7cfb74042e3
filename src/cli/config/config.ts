import { CONFIG_KEYS } from '../../config/check-file.ts';
import { type Command, command, type Input, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { show, table } from '../print/table.ts';
import { harmless } from '../print/terminal-text.ts';
import { type Choice, choices, readConfig } from '../settings.ts';
import { trust, untrust } from './trust.ts';

async function run({ env }: Input): Promise<Output> {
  const config = await readConfig(env);
  const values = choices(env, config).map(({ key, value, source }) => ({ key, value, source }));
  const { own, project } = config;
  const files = [
    { path: own.path, kind: 'own', state: own.file ? 'read' : 'not_there', problem: null },
    ...(project
      ? [
          {
            path: project.path,
            kind: 'project',
            state: project.state,
            problem: project.problem?.message ?? null,
          },
        ]
      : []),
  ];
  const lines = files.map(
    ({ path, kind, state, problem }) => `${kindWords(kind)}  ${path}  (${stateWords(state, problem)})`,
  );
  return {
    data: { values, files },
    plain: [
      table(values, [
        { title: 'key', value: ({ key }) => key },
        { title: 'value', value: ({ value }) => show(value), max: 60 },
        { title: 'from', value: ({ source }) => source },
      ] satisfies { title: string; value: (row: Omit<Choice, 'from'>) => unknown; max?: number }[]),
      '',
      ...lines.map(harmless),
    ].join('\n'),
  };
}

function kindWords(kind: string): string {
  return kind === 'own' ? 'your file      ' : "project's file ";
}

function stateWords(state: string, problem: string | null): string {
  switch (state) {
    case 'read':
    case 'trusted':
      return state;
    case 'not_there':
      return 'not there';
    case 'untrusted':
      return 'not obeyed: look at it, then run "rouse config trust"';
    case 'changed':
      return 'not obeyed: it changed since you trusted it; look at it, then run "rouse config trust"';
    default:
      return `not obeyed: ${problem}`;
  }
}

function description(): string {
  const own = CONFIG_KEYS.map(
    ({ key, kind, own }) => `  ${key} = ${kind.words}${own ? '   (your own file only)' : ''}`,
  );
  return [
    'Shows every setting, its value, and who says it. A flag comes before the environment, the environment before a ' +
      "file, a project's file (.rouse.toml, from the working directory upwards) before your own " +
      '(~/.config/rouse/config.toml), and any of them before the default.',
    '',
    'A project\'s file is obeyed only after "rouse config trust", and again only after it when the file has changed.',
    '',
    'Keys of the files (TOML; * is a name you choose):',
    ...own,
  ].join('\n');
}

const shown = command({
  ...FIRST_WORDS.config,
  description: async () => description(),
  examples: [
    'rouse config',
    'rouse config --print-json',
    'rouse config trust     # obey the .rouse.toml of this project, as it is now',
  ],
  flags: [],
  run,
});

const config: Command = { ...shown, despiteConfig: true, subcommands: [trust, untrust] };

export default config;
