import {
  type Clock,
  crashPoint,
  identifyProcess,
  type Log,
  messageOf,
  utcStamp,
} from '../../../base/index.ts';
import type { DeliveryResult, Evidence, PromptDelivery, Stage } from '../../port.ts';
import type { EventStream } from '../events/event-stream.ts';
import type { Runner } from '../runner/start-runner.ts';
import type { VisibleLog } from '../runner/visible-log.ts';
import type { BuiltTurn } from './build-turn.ts';
import type { ChatChoice } from './choose-chat.ts';
import type { CurrentTurn } from './current-turn.ts';
import type { Judged } from './judge-turn.ts';
import { RunningTurn, type TurnLimits } from './running-turn.ts';
import type { TurnEnd } from './turn-end.ts';
import { type TurnFiles, writeProcess } from './turn-files.ts';

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

export interface StartedTurn {
  delivery: TurnDelivery;
  host: TurnHost;
  current: CurrentTurn;
  runner: Runner;
  record: (stage: Stage, facts: Record<string, unknown>, source?: string) => Promise<void>;
  evidence: Evidence[];
}

/** Stays with a turn from its start to its end. A record that fails is told in the end and does not leave it unattended. */
export async function attendTurn(started: StartedTurn): Promise<DeliveryResult> {
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
    const reasons = ['the gateway let go of the turn, which runs on'];
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
