import * as path from 'node:path';
import { command, type Flag, type Input, type InputOf, type Output } from '../command.ts';
import {
  configDirectory,
  ownProgram,
  PRINT,
  removeUnit,
  startLines,
  unitPath,
  writeUnit,
} from '../unit/unit-file.ts';
import { serverUnit, UNIT_NAME, WRITTEN_BY } from './server-unit.ts';

/** The flags of `server start`, which the unit passes on. */
type StartFlags = readonly Flag[];
/** Refuses what the server would refuse when the unit starts it. */
type CheckFlags = (flags: Record<string, unknown>) => Promise<void>;

function installWith(start: StartFlags, check: CheckFlags) {
  return async (input: InputOf<readonly [typeof PRINT]>): Promise<Output> => {
    await check(input.flags as Record<string, unknown>);
    const unit = unitPath(input, UNIT_NAME);
    const environment = path.join(configDirectory(input), 'rouse', 'server.env');
    const words = wordsOf(start, input.flags as Record<string, unknown>);
    const text = serverUnit({
      command: [...(await ownProgram()), 'server', 'start', ...words],
      home: input.settings.home,
      environmentFile: environment,
    });
    if (input.flags.print) return { data: { unit_file: unit, unit: text }, plain: text.trimEnd() };
    writeUnit(unit, text, WRITTEN_BY);
    return { data: { unit_file: unit, environment_file: environment }, plain: nextSteps(unit, environment) };
  };
}

const nextSteps = (unit: string, environment: string): string =>
  [
    `Wrote ${unit}. Nothing was started. To start it now and at each boot:`,
    ...startLines(UNIT_NAME),
    `Its log: journalctl --user -u ${UNIT_NAME}. Settings such as DATABASE_URL go into ${environment} (chmod 600).`,
  ].join('\n');

/** The flags as words of a command line, without those that have their default value. */
function wordsOf(start: StartFlags, given: Record<string, unknown>): string[] {
  return start.flatMap((flag) => {
    const value = given[flag.name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())];
    if (value === undefined || value === false || ('default' in flag && value === flag.default)) return [];
    if (value === true) return [`--${flag.name}`];
    const values = Array.isArray(value) && flag.many ? value : [value];
    return values.flatMap((each) => [`--${flag.name}`, absolute(flag, String(each))]);
  });
}

/** Relative paths become absolute: the unit runs in another directory. */
const absolute = ({ value }: Flag, text: string): string => (value === 'FILE' ? path.resolve(text) : text);

export const installCommands = (start: StartFlags, check: CheckFlags) => [
  command({
    name: 'install',
    summary: 'a systemd user unit that keeps the server running; takes the flags of "server start"',
    description:
      'Writes the unit and says how to start it, but starts nothing. The unit contains no secrets: DATABASE_URL goes ' +
      'into the environment file that it names.',
    examples: [
      'rouse server install --print',
      'rouse server install --host 0.0.0.0 --allow-host fleet.example.org --tls-cert fleet.pem --tls-key fleet.key',
    ],
    flags: [PRINT, ...start],
    run: installWith(start, check),
  }),
  command({
    name: 'uninstall',
    summary: 'remove that unit',
    examples: ['rouse server uninstall'],
    flags: [],
    run: async (input: Input) => removeUnit(unitPath(input, UNIT_NAME), WRITTEN_BY),
  }),
];
