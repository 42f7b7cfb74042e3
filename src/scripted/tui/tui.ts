import { randomUUID } from 'node:crypto';
import { type Clock, invalid, randomHex, sleep } from '../../base/index.ts';
import { Agent } from '../agent.ts';
import { openControlChannel } from '../control/control-channel.ts';
import { runControl } from '../control/control-commands.ts';
import { Journal } from '../control/journal.ts';
import { playScript, readScript } from '../control/script.ts';
import type { Options } from '../options.ts';
import { keepStatusFile } from '../status-file.ts';
import { turnActor } from '../turns/turn-actor.ts';
import type { ProcessEnd } from '../turns/turn-engine.ts';
import { InputReader } from './input-reader.ts';
import { Keys } from './keys.ts';
import { Screen } from './screen.ts';
import { SKINS } from './skins.ts';
import type { TerminalInput, TerminalOutput } from './terminal.ts';
import { Transcript } from './transcript.ts';

export interface TuiStreams {
  stdin: TerminalInput;
  stdout: TerminalOutput;
  stderr: { write(text: string): unknown };
}

const EARLY_INPUT_MS = 60;
const SIGNALS: NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGINT'];

/** The interactive agent from its first frame to its exit code. */
export async function runTui(options: Options, streams: TuiStreams, clock: Clock): Promise<number> {
  const { stdin, stdout, stderr } = streams;
  if (!stdin.isTTY || !stdout.isTTY) {
    throw invalid('the interactive agent needs a terminal', {
      hint: 'Use --headless for a turn without one.',
    });
  }
  const steps = options.script === undefined ? [] : readScript(options.script);
  const transcript = options.transcript === undefined ? undefined : new Transcript(options.transcript);
  const journal = new Journal(transcript, clock);
  const { ended, ending } = endOf();
  const { agent, screen, reader } = createAgent(options, streams, { clock, journal, ended });
  const run = (message: Record<string, unknown>): unknown => runControl(agent, message);
  const sessionId = options.session.resume ?? options.session.id ?? randomUUID();
  if (options.statusFile !== undefined) keepStatusFile(options.statusFile, agent, sessionId);
  playScript(steps, journal, clock, run);
  const control =
    options.control === undefined ? undefined : await openControlChannel(options.control, journal, run);
  const unwatch = endWhenGone(streams, journal, ended);
  const started = { pid: process.pid, mode: 'tui', skin: options.skin, session_id: sessionId };
  journal.record('started', { ...started, ...screen.size });
  await begin(options, stdin, clock);
  reader.start();
  screen.start();
  journal.record('ready');
  if (options.prompt !== undefined) agent.engine.submit(options.prompt, options.prompt, 'scripted', 'queue');

  const end = await ending;
  journal.record(end.kind === 'crash' ? 'crashed' : 'exited', { code: end.code });
  // As if killed: modes, alternate screen and socket are not restored.
  if (end.kind === 'crash' && end.dirty) process.kill(process.pid, 'SIGKILL');
  reader.stop();
  screen.stop();
  stdin.setRawMode(false);
  unwatch();
  control?.close();
  journal.close();
  agent.engine.abandon();
  if (end.kind === 'crash') stderr.write('Error: scripted crash\n    at runTurn (agent.js:1:1)\n');
  return end.code;
}

function endOf(): { ended: (ending: ProcessEnd) => void; ending: Promise<ProcessEnd> } {
  let ended: (ending: ProcessEnd) => void = () => {};
  const ending = new Promise<ProcessEnd>((resolve) => {
    ended = resolve;
  });
  return { ended, ending };
}

interface Surroundings {
  clock: Clock;
  journal: Journal;
  ended: (ending: ProcessEnd) => void;
}

/** The agent with its screen and its input. */
function createAgent(
  options: Options,
  { stdin, stdout }: TuiStreams,
  { clock, journal, ended }: Surroundings,
) {
  const agent = new Agent({
    clock,
    journal,
    skin: SKINS.get(options.skin)!,
    name: options.name,
    cwd: process.cwd(),
    life: randomHex(3),
    defaults: { turnMs: options.turnMs, words: options.words },
    busyInput: options.busyInput,
    mail: turnActor(options, journal),
    redraw: () => screen.redraw(),
    hungChanged: () => (agent.hung ? reader.pause() : reader.resume()),
    end: ended,
  });
  if (options.burstMs !== undefined)
    agent.faults.burst = { ms: options.burstMs, after: 'paste', as: 'swallow' };
  const keys = new Keys(agent);
  const screen = new Screen(agent, stdout, clock);
  const reader = new InputReader(stdin, clock, (events) => keys.take(events));
  return { agent, screen, reader };
}

/** Ends the agent on a signal or when the terminal is gone. The result stops listening to signals. */
function endWhenGone(
  { stdin, stdout }: TuiStreams,
  journal: Journal,
  ended: (ending: ProcessEnd) => void,
): () => void {
  const onSignal = (signal: NodeJS.Signals): void => {
    journal.record('signalled', { signal });
    ended({ kind: 'exit', code: 128 + ({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }[signal as string] ?? 0) });
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  // A closed terminal does not always send a signal.
  const onGone = (): void => ended({ kind: 'exit', code: 129 });
  stdin.on('error', onGone).on('end', onGone);
  stdout.on('error', onGone);
  return () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}

/** During the delay the terminal is as the shell left it: input is echoed, and may be lost. */
async function begin(options: Options, stdin: TerminalInput, clock: Clock): Promise<void> {
  await sleep(clock, options.startDelayMs);
  stdin.setRawMode(true);
  if (!options.dropEarlyInput) return;
  const lose = (): void => {};
  stdin.on('data', lose);
  stdin.resume();
  await sleep(clock, EARLY_INPUT_MS);
  stdin.off('data', lose);
  stdin.pause();
}
