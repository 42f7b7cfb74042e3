import * as fs from 'node:fs';
import { isProcessAlive, stableJson } from '../../base/index.ts';
import type { Roster, RosterAgent } from '../../session/index.ts';
import { sessionContext } from '../agents/target.ts';
import type { Input } from '../command.ts';
import { clockTime } from '../print/local-time.ts';
import { harmless } from '../print/terminal-text.ts';
import { rosterText, stateWords } from './roster-table.ts';

/** Changes come in bursts; one refresh shows them all. */
const SETTLE_MS = 60;
/** A killed process leaves no event, so this often the kernel is asked which processes still run. */
const SAFETY_MS = 3000;

const HIDE = '\u001b[?1049h\u001b[?25l';
const SHOW = '\u001b[?25h\u001b[?1049l';

/** Shows the roster and every change of it until Ctrl-C: in place on a terminal, line by line elsewhere. */
export async function watchRoster(
  input: Input,
  wanted: (found: Roster) => Promise<Roster> = async (found) => found,
): Promise<void> {
  const { NO_ROSTER, roster, rosterFiles } = await import('../../session/index.ts');
  const context = sessionContext(input);
  const watches = new Map<string, fs.FSWatcher>();
  const show = input.style !== 'json' && input.outIsTty ? inPlace(input) : asLines(input);
  let last = NO_ROSTER;
  let hint: (() => void) | undefined;
  let asked = true;
  const ask = (): void => {
    asked = true;
    hint?.();
  };
  const watchAll = (): void => {
    const wanted = new Set(rosterFiles(context));
    for (const [directory, watch] of watches) if (!wanted.has(directory)) forget(directory, watch);
    for (const directory of wanted) if (!watches.has(directory)) watch(directory);
  };
  const forget = (directory: string, watch: fs.FSWatcher): void => {
    watch.close();
    watches.delete(directory);
  };
  const watch = (directory: string): void => {
    try {
      const made = fs.watch(directory, ask);
      made.on('error', () => forget(directory, made));
      watches.set(directory, made);
    } catch {
      // The directory is gone, or there are too many watches: the safety interval covers it.
    }
  };
  const known = (): string => last.processes.filter((each) => isProcessAlive(each)).length.toString();
  try {
    while (!input.signal.aborted) {
      if (asked) {
        asked = false;
        watchAll();
        last = await wanted(await roster(context));
        show.now(last);
        await pause(SETTLE_MS, input.signal);
        continue;
      }
      const before = known();
      await pause(SAFETY_MS, input.signal, (wake) => {
        hint = wake;
      });
      if (known() !== before || rosterFiles(context).some((each) => !watches.has(each))) asked = true;
    }
  } finally {
    for (const [directory, each] of watches) forget(directory, each);
    show.end(last);
  }
}

function pause(ms: number, signal: AbortSignal, onStart?: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
    onStart?.(done);
  });
}

interface Showing {
  now(roster: Roster): void;
  end(roster: Roster): void;
}

function inPlace(input: Input): Showing {
  let shown = '';
  input.out(HIDE);
  return {
    now(roster) {
      const rows = input.outSize()?.rows ?? 24;
      const lines = [...rosterText(roster, input).split('\n'), '', 'Ctrl-C ends this.'];
      const cut =
        lines.length > rows
          ? [...lines.slice(0, rows - 1), `… ${lines.length - rows + 1} more lines`]
          : lines;
      const frame = cut.map((line) => `${line}\u001b[K`).join('\r\n');
      if (frame === shown) return;
      shown = frame;
      input.out(`\u001b[H${frame}\u001b[J`);
    },
    // The last state stays in the terminal's scrollback.
    end: (roster) => input.out(`${SHOW}${rosterText(roster, input)}\n`),
  };
}

function asLines(input: Input): Showing {
  const before = new Map<string, string>();
  const json = input.style === 'json';
  let shown = '';
  return {
    now(roster) {
      if (json) {
        const line = JSON.stringify(JSON.parse(stableJson({ schema_version: 1, agents: roster.agents })));
        if (line !== shown) input.out(`${line}\n`);
        shown = line;
        return;
      }
      const seen = new Set(roster.agents.map(({ id }) => id));
      for (const agent of roster.agents) say(agent.id, agent.called, lineOf(agent));
      for (const id of [...before.keys()].filter((each) => !seen.has(each))) {
        say(id, before.get(id)!.split(':')[0]!, 'no longer listed');
        before.delete(id);
      }
    },
    end() {},
  };

  function say(id: string, name: string, words: string): void {
    const line = harmless(`${name}: ${words}`);
    if (before.get(id) === line) return;
    before.set(id, line);
    input.out(`${clockTime(new Date().toISOString()).slice(0, 8)}Z ${line}\n`);
  }
}

function lineOf(agent: RosterAgent): string {
  const { open_mail, wakes } = agent;
  return [
    stateWords(agent),
    ...(open_mail === null ? [] : [`${open_mail} open`]),
    ...(wakes === null ? [] : [`${wakes.count} ${wakes.count === 1 ? 'wake' : 'wakes'}`]),
  ].join(', ');
}
