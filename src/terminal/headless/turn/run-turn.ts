import {
  type Clock,
  crashPoint,
  errnoOf,
  identifyProcess,
  type Log,
  messageOf,
  randomHex,
  utcStamp,
} from '../../../base/index.ts';
import { typeUnlessHeld } from '../../lane-context.ts';
import {
  type DeliveryResult,
  type Evidence,
  HeldBack,
  type Hold,
  type PromptDelivery,
  type Stage,
} from '../../port.ts';
import { fingerprint } from '../../proof/fingerprint.ts';
import type { EventStream } from '../events/event-stream.ts';
import { type Runner, startRunner } from '../runner/start-runner.ts';
import type { VisibleLog } from '../runner/visible-log.ts';
import type { BuiltTurn, ChatChoice } from './build-turn.ts';
import { RunningTurn } from './running-turn.ts';
import type { Judged, TurnEnd, TurnLimits } from './settle-turn.ts';
import {
  type CurrentTurn,
  prepareFiles,
  type TurnFiles,
  voidAttempt,
  writeCurrentTurn,
  writeProcess,
} from './turn-files.ts';

/** Runs one prompt as one process, from the last check to the end of the turn. Each stage is recorded before the next begins. */
export async function deliverTurn(delivery: TurnDelivery, host: TurnHost): Promise<DeliveryResult> {
  const { prompt, files, built } = delivery;
  const evidence: Evidence[] = [];
  const record = async (stage: Stage, facts: Record<string, unknown>, source = 'process'): Promise<void> => {
    const seen = { source, atUtc: utcStamp(host.clock.now()), facts };
    evidence.push(seen);
    await prompt.record(stage, seen);
  };
  const untouched = (outcome: DeliveryResult['outcome'], reason: string): DeliveryResult => ({
    outcome,
    reasons: [reason],
    evidence,
    untouched: true,
  });

  const attempt = randomHex(8);
  const where = { turn_id: files.id, attempt, artefacts: files.directory };
  try {
    const again = await prompt.recheck?.();
    if (again && !again.go) return untouched('superseded', again.reason);
    if (delivery.signal.aborted || prompt.signal?.aborted)
      return untouched('cancelled', 'interrupted before it began');
    await record('typing', {
      ...where,
      chat: delivery.chat,
      ...fingerprint(prompt.text),
      policy: prompt.policy,
    });
  } catch (error) {
    return untouched('failed', `nothing was started: ${messageOf(error)}`);
  }
  crashPoint('headless.typing');

  let current: CurrentTurn;
  let runner: Runner;
  try {
    current = prepare(delivery, host, attempt);
    crashPoint('headless.prepared');
    const { cwd, env } = host;
    const command = { files, attempt, command: built.command, readsPrompt: built.stdin !== null, cwd, env };
    const started = await typeUnlessHeld(host, prompt, () => startRunner(command));
    if (started instanceof HeldBack) {
      voidAttempt(files, attempt);
      return untouched('not_ready', started.reason);
    }
    runner = started;
  } catch (error) {
    voidAttempt(files, attempt);
    return untouched(...explainStart(error));
  }
  crashPoint('headless.spawned');
  return watchTurn({ delivery, host, current, runner, record, evidence });
}

function prepare(
  { prompt, files, built, index }: TurnDelivery,
  host: TurnHost,
  attempt: string,
): CurrentTurn {
  prepareFiles(files, attempt, built.stdin);
  const turn = {
    turn_id: files.id,
    request_id: prompt.requestId,
    attempt,
    turn_index: index,
    carries_role: built.carriesRole,
    prepared_at_utc: utcStamp(host.clock.now()),
    settled: false,
  };
  return writeCurrentTurn(host.root, turn);
}

function explainStart(error: unknown): ['refused' | 'failed', string] {
  if (errnoOf(error) === 'E2BIG')
    return ['refused', 'the prompt or the role is longer than the system allows an argument to be'];
  return ['failed', `the turn could not be started: ${messageOf(error)}`];
}

interface TurnDelivery {
  prompt: PromptDelivery;
  files: TurnFiles;
  built: Exclude<BuiltTurn, { refused: string }>;
  chat: ChatChoice;
  index: number;
  /** Cancels the turn before it starts. */
  signal: AbortSignal;
}

interface TurnHost {
  root: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  limits: TurnLimits;
  clock: Clock;
  log: Log;
  hold?: Hold | undefined;
  visible: VisibleLog;
  newStream(index: number): EventStream;
  began(turn: RunningTurn): void;
  settle(current: CurrentTurn, end: TurnEnd): Promise<Judged>;
}

interface StartedTurn {
  delivery: TurnDelivery;
  host: TurnHost;
  current: CurrentTurn;
  runner: Runner;
  record: (stage: Stage, facts: Record<string, unknown>, source?: string) => Promise<void>;
  evidence: Evidence[];
}

/** Watches a turn until it ends. A stage that cannot be recorded is reported with the result; the turn is still watched. */
async function watchTurn(started: StartedTurn): Promise<DeliveryResult> {
  const { delivery, host, current, runner, evidence } = started;
  const { prompt, files, chat } = delivery;
  const { limits, clock, log } = host;
  const { note, troubles } = noting(started);
  const { launched, saveProcess } = processFile(started);
  const turn = new RunningTurn({
    files,
    attempt: current.attempt,
    runner: runner.identity,
    exit: runner.exit,
    ageMs: 0,
    stream: host.newStream(current.turn_index),
    limits,
    clock,
    log,
  });
  host.visible.write(files.id, `prompt (${chat.kind})`, prompt.text.slice(0, 1000));
  host.began(turn);
  const abort = (): void => void turn.stop('interrupted');
  for (const signal of [prompt.signal, delivery.signal]) {
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
  }

  await note('typed', { ...launched, artefacts: files.directory });
  const pid = await turn.toolStarted;
  saveProcess(pid);
  if (pid !== null) {
    const ticks = identifyProcess(pid)?.startTicks ?? null;
    await note('submitted', { pid, start_ticks: ticks, ...launched, chat, artefacts: files.directory });
    crashPoint('headless.submitted');
  }
  const first = await turn.firstEvent;
  if (first) {
    await note('turn_seen', { event: first.providerEventType, session_id: first.sessionId }, 'event_stream');
    crashPoint('headless.seen');
  }
  const end = await turn.ended;
  prompt.signal?.removeEventListener('abort', abort);
  if (end === null) {
    runner.unref();
    const reasons = ['the gateway stopped watching the turn, which is still running'];
    return { outcome: pid === null ? 'unconfirmed' : 'submitted', reasons, evidence, untouched: false };
  }
  await note('turn_finished', factsOf(end, files));
  const { outcome, reasons } = await host.settle(current, end);
  return { outcome, reasons: [...reasons, ...troubles], evidence, untouched: !end.toolRan };
}

function noting({ record, host: { log }, delivery: { prompt } }: StartedTurn) {
  const troubles: string[] = [];
  const note: StartedTurn['record'] = async (stage, facts, source) => {
    await record(stage, facts, source).catch((error: unknown) => {
      troubles.push(`${stage} could not be recorded: ${messageOf(error)}`);
      log.error('stage not recorded', { stage, request: prompt.requestId, cause: messageOf(error) });
    });
  };
  return { note, troubles };
}

function processFile({ runner: { identity }, host: { clock, log }, delivery: { files } }: StartedTurn) {
  const launched = {
    runner_pid: identity.pid,
    launched_at_utc: utcStamp(clock.now()),
    runner_start_ticks: identity.startTicks,
    boot_id: identity.bootId,
  };
  const saveProcess = (child_pid: number | null): void => {
    try {
      writeProcess(files, { ...launched, child_pid });
    } catch (error) {
      log.error('process.json not written', { turn: files.id, cause: messageOf(error) });
    }
  };
  return { launched, saveProcess };
}

function factsOf(end: TurnEnd, files: TurnFiles): Record<string, unknown> {
  return {
    exit_code: end.exitCode,
    stopped: end.stopped,
    session_id: end.sessionId,
    duration_ms: end.durationMs,
    events: end.counts,
    answer: end.answer,
    artefacts: files.directory,
  };
}
