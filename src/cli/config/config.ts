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
      return 'not found (optional)';
    case 'untrusted':
      return 'ignored, not trusted yet: look at it, then run "rouse config trust"';
    case 'changed':
      return 'ignored, changed since you trusted it: look at it, then run "rouse config trust"';
    default:
      return `ignored: ${problem}`;
  }
}

function description(): string {
  const own = CONFIG_KEYS.map(
    ({ key, kind, own }) => `  ${key} = ${kind.words}${own ? '   (your own file only)' : ''}`,
  );
  return [
    'Shows every setting, its value, and where it comes from. A flag wins over the environment, the environment over a ' +
      "file, a project's file (.rouse.toml, from the working directory upwards) over your own " +
      '(~/.config/rouse/config.toml), and each of them over the default.',
    '',
    'A project\'s file is used only after "rouse config trust"; when it changes, it must be trusted again.',
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
    'rouse config trust     # use the .rouse.toml of this project, as it is now',
  ],
  flags: [],
  run,
});

const config: Command = { ...shown, despiteConfig: true, subcommands: [trust, untrust] };

export default config;
