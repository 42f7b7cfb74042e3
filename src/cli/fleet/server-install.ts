import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { conflict, ensureDirectory, readIfExists, writeFileAtomic } from '../../base/index.ts';
import { command, type Flag, type Input, type InputOf, type Output } from '../command.ts';
import { serverUnit, UNIT_MARK, UNIT_NAME } from './server-unit.ts';

/** The flags of `server start`, which the unit passes on. */
type StartFlags = readonly Flag[];
/** Refuses what the server would refuse when the unit starts it. */
type CheckFlags = (flags: Record<string, unknown>) => Promise<void>;

const PRINT = { name: 'print', summary: 'print the unit and write nothing' } as const satisfies Flag;

interface Places {
  unit: string;
  environment: string;
}

function placesOf({ env }: Input): Places {
  const config = env['XDG_CONFIG_HOME'] || path.join(env['HOME'] || os.homedir(), '.config');
  return {
    unit: path.join(config, 'systemd', 'user', UNIT_NAME),
    environment: path.join(config, 'rouse', 'server.env'),
  };
}

function installWith(start: StartFlags, check: CheckFlags) {
  return async (input: InputOf<readonly [typeof PRINT]>): Promise<Output> => {
    const { packageRoot } = await import('../../session/index.ts');
    await check(input.flags as Record<string, unknown>);
    const { unit, environment } = placesOf(input);
    const program = [process.execPath, path.join(packageRoot(), 'dist', 'rouse.cjs')];
    const words = wordsOf(start, input.flags as Record<string, unknown>);
    const text = serverUnit({
      command: [...program, 'server', 'start', ...words],
      home: input.settings.home,
      environmentFile: environment,
    });
    if (input.flags.print) return { data: { unit_file: unit, unit: text }, plain: text.trimEnd() };
    refuseForeign(unit);
    ensureDirectory(path.dirname(unit));
    writeFileAtomic(unit, text, { mode: 0o644 });
    return { data: { unit_file: unit, environment_file: environment }, plain: nextSteps(unit, environment) };
  };
}

const nextSteps = (unit: string, environment: string): string =>
  [
    `Wrote ${unit}. Nothing was started. To start it now and at each boot:`,
    '  systemctl --user daemon-reload',
    `  systemctl --user enable --now ${UNIT_NAME}`,
    '  loginctl enable-linger      # to keep it running while you are logged out',
    `Its log: journalctl --user -u ${UNIT_NAME}. Settings such as DATABASE_URL go into ${environment} (chmod 600).`,
  ].join('\n');

async function uninstall(input: Input): Promise<Output> {
  const { unit } = placesOf(input);
  if (!fs.existsSync(unit)) return { data: { removed: false }, plain: `There is no ${unit}.` };
  refuseForeign(unit);
  fs.rmSync(unit);
  const plain = `Removed ${unit}. If it runs: systemctl --user stop ${UNIT_NAME}; systemctl --user daemon-reload`;
  return { data: { removed: true, unit_file: unit }, plain };
}

function refuseForeign(unit: string): void {
  const text = readIfExists(unit);
  if (text === undefined || text.startsWith(UNIT_MARK)) return;
  throw conflict(`${unit} was not written by Rouse`, { hint: 'see --print, and change it by hand' });
}

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
    run: uninstall,
  }),
];
