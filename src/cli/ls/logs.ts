import * as fs from 'node:fs';
import * as path from 'node:path';
import { commandLine, notFound, readIfExists, unsupported } from '../../base/index.ts';
import type { SessionPaths } from '../../session/index.ts';
import { AGENT_FLAGS, onThisHost } from '../agents/target.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { wholeNumber } from '../input/flag-values.ts';
import { painter } from '../print/colour.ts';
import { agentOrStopped } from '../why/source.ts';
import { GrowingFile } from './growing-file.ts';
import { LEVEL_COLOURS, type LogLine, ofEvent, ofLog, printed } from './log-lines.ts';

async function run(input: InputOf<typeof FLAGS>): Promise<Output | void> {
  const found = await agentOrStopped(onThisHost(input));
  if (!('stopped' in found) && found.kind === 'fleet')
    throw unsupported(`the log of agent ${found.agentRef} is with its server at ${found.baseUrl}`, {
      hint: 'run "rouse logs" on the host where it runs',
    });
  const facts = 'stopped' in found ? found.stopped : found.facts;
  const { sessionPaths } = await import('../../session/index.ts');
  const paths = sessionPaths(facts.root);
  if (!fs.existsSync(paths.log))
    throw notFound(`no gateway has run beside agent ${facts.agentName} yet, so nothing was logged`, {
      hint:
        'stopped' in found
          ? `the agent was stopped; "${commandLine`rouse launch ${facts.agentName}`}" starts it again`
          : `"${commandLine`rouse agents gateway attach ${facts.agentName}`}" starts one`,
    });
  const last = linesSoFar(paths).slice(-input.flags.lines);
  if (!input.flags.follow)
    return { data: { lines: last }, plain: last.map((line) => shown(line, input)).join('\n') };
  for (const line of last) say(line, input);
  await follow(paths, input);
}

function shown(line: LogLine, input: InputOf<typeof FLAGS>): string {
  return painter(input)(LEVEL_COLOURS[line.level], printed(line));
}

function say(line: LogLine, input: InputOf<typeof FLAGS>): void {
  input.out(input.style === 'json' ? `${JSON.stringify(line)}\n` : `${shown(line, input)}\n`);
}

/** The lines of the log and of the events so far, rotated files included, in order of time. */
function linesSoFar({ log, events }: SessionPaths): LogLine[] {
  const all = (file: string): string[] =>
    [`${file}.2`, `${file}.1`, file].flatMap((each) =>
      (readIfExists(each) ?? '').split('\n').filter(Boolean),
    );
  return [...all(log).map(ofLog), ...all(events).flatMap((line) => ofEvent(line) ?? [])].sort((a, b) =>
    a.at < b.at ? -1 : a.at > b.at ? 1 : 0,
  );
}

/** Prints new lines until Ctrl-C. */
async function follow({ log, events }: SessionPaths, input: InputOf<typeof FLAGS>): Promise<void> {
  const files = [new GrowingFile(log), new GrowingFile(events)] as const;
  const printAdded = (): void => {
    const [logged, happened] = files.map((file) => file.added());
    const lines = [...logged!.map(ofLog), ...happened!.flatMap((line) => ofEvent(line) ?? [])];
    for (const line of lines.sort((a, b) => a.at.localeCompare(b.at))) say(line, input);
  };
  const watches = [log, events].map((file) => fs.watch(path.dirname(file), printAdded));
  try {
    printAdded();
    await new Promise<void>((resolve) => {
      if (input.signal.aborted) resolve();
      input.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    for (const watch of watches) watch.close();
    for (const file of files) file.close();
  }
}

const FLAGS = [
  ...AGENT_FLAGS,
  { name: 'follow', short: 'f', summary: 'print new lines as they are added, until Ctrl-C' },
  {
    name: 'lines',
    short: 'n',
    value: 'N',
    summary: 'how many of the last lines',
    parse: wholeNumber(1, 1_000_000),
    default: 50,
  },
] as const satisfies readonly Flag[];

export const logs = command({
  ...FIRST_WORDS.logs,
  description:
    'Also works for an agent that was stopped. With --json and --follow, prints one object per line. Times are local, with --utc in UTC.',
  examples: ['rouse logs ana', 'rouse logs ana -f', 'rouse logs ana -n 500'],
  flags: FLAGS,
  run,
});
