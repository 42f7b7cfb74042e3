import { bootId, crashPoint, errnoOf, messageOf, randomHex, utcStamp } from '../../../base/index.ts';
import type { DeliveryResult, Evidence, Stage } from '../../port.ts';
import { fingerprint } from '../../proof/fingerprint.ts';
import { type Runner, startRunner } from '../runner/start-runner.ts';
import { attendTurn, type TurnDelivery, type TurnHost } from './attend-turn.ts';
import { type CurrentTurn, writeCurrentTurn } from './current-turn.ts';
import { prepareFiles, voidAttempt } from './turn-files.ts';

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
  return attendTurn({ delivery, host, current, runner, record, evidence });
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

function explainStart(error: unknown): ['refused' | 'failed', string] {
  if (errnoOf(error) === 'E2BIG')
    return ['refused', 'the prompt or the role is longer than the system allows an argument to be'];
  return ['failed', `the turn could not be started: ${messageOf(error)}`];
}
