import { createHash } from 'node:crypto';
import {
  bootId,
  type Clock,
  crashPoint,
  errnoOf,
  identifyProcess,
  type Log,
  messageOf,
  randomHex,
  utcStamp,
} from '../../base/index.ts';
import type { DeliveryResult, Evidence, PromptDelivery, Stage } from '../port.ts';
import type { BuiltTurn } from './build-turn.ts';
import type { ChatChoice } from './choose-chat.ts';
import { type CurrentTurn, writeCurrentTurn } from './current-turn.ts';
import type { EventStream } from './event-stream.ts';
import type { Judged } from './judge-turn.ts';
import { RunningTurn, type TurnLimits } from './running-turn.ts';
import { type Runner, startRunner } from './start-runner.ts';
import type { TurnEnd } from './turn-end.ts';
import { prepareFiles, type TurnFiles, voidAttempt, writeProcess } from './turn-files.ts';
import type { VisibleLog } from './visible-log.ts';

export interface TurnDelivery {
  prompt: PromptDelivery;
  files: TurnFiles;
  built: Exclude<BuiltTurn, { refused: string }>;
  chat: ChatChoice;
  index: number;
  /** Ends it before it has begun. */
  signal: AbortSignal;
}

export interface TurnHost {
  root: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  limits: TurnLimits;
  clock: Clock;
  log: Log;
  visible: VisibleLog;
  newStream(index: number): EventStream;
  began(turn: RunningTurn): void;
  settle(current: CurrentTurn, end: TurnEnd): Promise<Judged>;
}

/** One prompt through one process, from the last check to the end of the turn. Every stage is on record before the next. */
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
    await record('typing', { ...where, chat: delivery.chat, ...fingerprint(prompt.text) });
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
    runner = await startRunner({
      files,
      attempt,
      command: built.command,
      readsPrompt: built.stdin !== null,
      cwd,
      env,
    });
  } catch (error) {
    voidAttempt(files, attempt);
    return untouched(...explainStart(error));
  }
  crashPoint('headless.spawned');
  return follow({ delivery, host, current, runner, record, evidence });
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
  writeCurrentTurn(host.root, turn);
  return { ...turn, boot_id: bootId() };
}

interface Following {
  delivery: TurnDelivery;
  host: TurnHost;
  current: CurrentTurn;
  runner: Runner;
  record: (stage: Stage, facts: Record<string, unknown>, source?: string) => Promise<void>;
  evidence: Evidence[];
}

/** From here on a process runs. A record that fails is told in the end and does not leave it unattended. */
async function follow({
  delivery,
  host,
  current,
  runner,
  record,
  evidence,
}: Following): Promise<DeliveryResult> {
  const { prompt, files, chat } = delivery;
  const { clock, log, limits } = host;
  const troubles: string[] = [];
  const note: typeof record = async (stage, facts, source) => {
    await record(stage, facts, source).catch((error: unknown) => {
      troubles.push(`${stage} could not be recorded: ${messageOf(error)}`);
      log.error('stage not recorded', { stage, request: prompt.requestId, cause: messageOf(error) });
    });
  };
  const started = {
    runner_pid: runner.identity.pid,
    launched_at_utc: utcStamp(clock.now()),
    runner_start_ticks: runner.identity.startTicks,
    boot_id: runner.identity.bootId,
  };
  const saveProcess = (child_pid: number | null): void => {
    try {
      writeProcess(files, { ...started, child_pid });
    } catch (error) {
      log.error('process.json not written', { turn: files.id, cause: messageOf(error) });
    }
  };
  saveProcess(null);
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

  await note('typed', { ...started, artefacts: files.directory });
  const pid = await turn.toolStarted;
  if (pid !== null) {
    saveProcess(pid);
    const ticks = identifyProcess(pid)?.startTicks ?? null;
    await note('submitted', { pid, start_ticks: ticks, ...started, chat, artefacts: files.directory });
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
    const reason = 'the gateway let go of the turn, which runs on';
    return {
      outcome: pid === null ? 'unconfirmed' : 'submitted',
      reasons: [reason],
      evidence,
      untouched: false,
    };
  }
  await note('turn_finished', factsOf(end, files));
  const { outcome, reasons } = await host.settle(current, end);
  return { outcome, reasons: [...reasons, ...troubles], evidence, untouched: !end.toolRan };
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

function explainStart(error: unknown): ['refused' | 'failed', string] {
  if (errnoOf(error) === 'E2BIG')
    return ['refused', 'the prompt or the role is longer than the system allows an argument to be'];
  return ['failed', `the turn could not be started: ${messageOf(error)}`];
}

function fingerprint(text: string): Record<string, unknown> {
  return { bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') };
}
