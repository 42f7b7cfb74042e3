import { type Clock, invalid, newUuid, randomHex, utcStamp } from '../base/index.ts';
import { noncesOf } from './control/directives.ts';
import { Journal } from './control/journal.ts';
import { fingerprint } from './fingerprint.ts';
import type { Options } from './options.ts';
import { Transcript } from './tui/transcript.ts';
import { type Session, SessionStore } from './turns/session-store.ts';
import { turnActor } from './turns/turn-actor.ts';
import { type Outcome, type ProcessEnd, type Turn, TurnEngine } from './turns/turn-engine.ts';

export interface HeadlessStreams {
  input: () => Promise<string>;
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
}

interface Denial {
  tool_name: string;
  tool_input: Record<string, string>;
}

type End = { outcome: Outcome; answer: string; remark: string | undefined } | ProcessEnd;

const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** One turn without a terminal, printed as structured events as real headless tools do. */
export async function runHeadless(options: Options, streams: HeadlessStreams, clock: Clock): Promise<number> {
  const prompt = options.prompt ?? (await streams.input());
  if (prompt.trim() === '')
    throw invalid('a headless turn needs a prompt', { hint: 'Give -p "text" or standard input.' });
  const store = new SessionStore(options.session.directory);
  const transcript = options.transcript === undefined ? undefined : new Transcript(options.transcript);
  const journal = new Journal(transcript, clock);
  const session = chooseSession(store, options);
  const print = (event: Record<string, unknown>): void => {
    if (options.outputFormat === 'stream-json') streams.stdout.write(`${JSON.stringify(event)}\n`);
  };
  const stop = stopOnSignal();
  const facts = { session_id: session.id, resumed: session.turns.length > 0 };
  journal.record('started', { pid: process.pid, mode: 'headless', ...facts });
  print({
    type: 'system',
    subtype: 'init',
    session_id: session.id,
    model: options.model,
    cwd: process.cwd(),
    tools: [],
  });

  const from = clock.monotonic();
  const denials: Denial[] = [];
  const end = await oneTurn(prompt, { options, journal, clock, denials, stop });
  stop.forget();
  if (!('outcome' in end)) return leave(end, journal, streams);

  const text = answerText(end, session);
  store.addTurn(session.id, {
    at: utcStamp(clock.now()),
    prompt_sha256: fingerprint(prompt).sha256,
    nonces: noncesOf(prompt),
    answer: text,
  });
  const message = { role: 'assistant', model: options.model, content: [{ type: 'text', text }] };
  print({ type: 'assistant', session_id: session.id, message });
  const failed = end.outcome === 'failed' || end.outcome === 'interrupted';
  const result = {
    type: 'result',
    subtype: failed ? 'error_during_execution' : 'success',
    is_error: failed,
    session_id: session.id,
    result: text,
    num_turns: session.turns.length + 1,
    duration_ms: Math.round(clock.monotonic() - from),
    permission_denials: denials,
  };
  if (options.outputFormat === 'text') streams.stdout.write(`${text}\n`);
  else streams.stdout.write(`${JSON.stringify(result)}\n`);
  journal.record('exited', { code: failed ? 1 : 0 });
  journal.close();
  return failed ? 1 : 0;
}

interface TurnParts {
  options: Options;
  journal: Journal;
  clock: Clock;
  denials: Denial[];
  stop: Stop;
}

function oneTurn(prompt: string, { options, journal, clock, denials, stop }: TurnParts): Promise<End> {
  return new Promise((resolve) => {
    const engine = new TurnEngine({
      clock,
      journal,
      life: randomHex(3),
      defaults: { turnMs: options.turnMs, words: options.words },
      host: {
        // No one can be asked: a permission is refused and reported, any other question is cancelled.
        ask: async (request) => {
          if (request.kind !== 'permission') return 'cancel';
          denials.push({ tool_name: 'Shell', tool_input: { command: request.detail ?? '' } });
          return 'no';
        },
        mail: turnActor(options, journal),
        began: () => {},
        changed: () => {},
        end: resolve,
        finished: (turn: Turn, outcome, remark) =>
          resolve(
            stop.code === 0 ? { outcome, answer: turn.answer, remark } : { kind: 'exit', code: stop.code },
          ),
      },
    });
    engine.submit(prompt, prompt, 'scripted', 'queue');
    stop.whenSignalled((signal) => engine.interrupt(signal));
  });
}

interface Stop {
  /** 128 plus the number of the received signal, or 0. */
  readonly code: number;
  /** Calls at once if a signal was already received. */
  whenSignalled(call: (signal: string) => void): void;
  forget(): void;
}

/** Listens from the start, so that no signal kills the process once output has started. */
function stopOnSignal(): Stop {
  let came: keyof typeof SIGNAL_CODES | undefined;
  let call: (signal: string) => void = () => {};
  const signals = Object.keys(SIGNAL_CODES) as (keyof typeof SIGNAL_CODES)[];
  const take = (signal: NodeJS.Signals): void => {
    came ??= signal as keyof typeof SIGNAL_CODES;
    call(signal);
  };
  for (const signal of signals) process.on(signal, take);
  return {
    get code() {
      return came === undefined ? 0 : SIGNAL_CODES[came];
    },
    whenSignalled(listener) {
      call = listener;
      if (came !== undefined) listener(came);
    },
    forget() {
      for (const signal of signals) process.off(signal, take);
    },
  };
}

/** For a turn that never finished: prints no result, as when a real tool dies. */
function leave(end: ProcessEnd, journal: Journal, streams: HeadlessStreams): number {
  journal.record(end.kind === 'crash' ? 'crashed' : 'exited', { code: end.code });
  if (end.kind === 'crash' && end.dirty) process.kill(process.pid, 'SIGKILL');
  if (end.kind === 'crash') streams.stderr.write('Error: scripted crash\n    at runTurn (agent.js:1:1)\n');
  journal.close();
  return end.code;
}

function chooseSession(store: SessionStore, options: Options): Session {
  const { resume, latest, id } = options.session;
  if (resume !== undefined) return store.resume(resume);
  if (latest) return store.latest();
  return store.begin(id ?? newUuid(), options.role);
}

/** The answer shows what the session remembers: the number of the turn and the role, if any. */
function answerText(
  end: { outcome: Outcome; answer: string; remark: string | undefined },
  session: Session,
): string {
  if (end.outcome === 'failed') return `Error: ${end.remark}`;
  if (end.outcome === 'denied') return 'I was not allowed to do that.';
  const role = session.role === undefined ? '' : ` Role: ${session.role}`;
  return `${end.answer} (turn ${session.turns.length + 1})${role}`;
}
