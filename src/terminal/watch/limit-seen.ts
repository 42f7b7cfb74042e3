import { type Facts, limitIn } from '../../screen/index.ts';
import type { SignalReader } from '../../tools/index.ts';
import type { LimitSeen } from '../limits/park-until.ts';

/**
 * The usage limit that an agent is in: the tool's own report that one ended its last turn, else the notice on its screen. The
 * end comes from the tool's records, if they have it. A notice of a turn that was continued since is an old one.
 */
export function limitSeen(
  { limit: { value: notice, source } }: Pick<Facts, 'limit'>,
  signals: readonly SignalReader[],
  nowMs: number,
): LimitSeen | undefined {
  const reports = signals.flatMap((signal) => signal.limit?.() ?? []);
  const ended = reports.find(({ endedTurn }) => endedTurn !== null);
  const untilMs =
    reports.find((report) => report.untilMs !== null && report.untilMs > nowMs)?.untilMs ?? null;
  const reported = ended?.endedTurn ? limitIn(ended.endedTurn) : undefined;
  const continues = notice?.continues;
  if (ended && reported) return { ...reported, cut: true, continues, untilMs, source: ended.source };
  const isOld = notice?.cut && reports.some(({ endedWell }) => endedWell);
  return notice && !isOld ? { ...notice, untilMs, source } : undefined;
}
