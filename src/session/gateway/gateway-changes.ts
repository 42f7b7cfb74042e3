import {
  EXECUTION_MODES,
  type ExecutionMode,
  TUI_TIMING_RULES,
  type TuiTimingField,
} from '../../domain/index.ts';
import type { AttachOptions, AttachPlan } from './attach-plan.ts';

/** One setting of a live gateway that an attach changed. */
export type GatewayChange =
  | { setting: 'execution_mode'; from: ExecutionMode; to: ExecutionMode }
  | { setting: 'allow_users'; from: number[]; to: number[] }
  | { setting: TuiTimingField; from: number; to: number };

/** What is asked for and is not as it runs. What nobody asks for stays as it is. */
export function changesAsked(
  { mode, timings = {}, allowUsers }: AttachOptions,
  running: Pick<AttachPlan, 'mode' | 'timings' | 'guests'>,
): GatewayChange[] {
  const changes: GatewayChange[] = [];
  if (mode !== undefined && mode !== running.mode)
    changes.push({ setting: 'execution_mode', from: running.mode, to: mode });
  for (const { field } of TUI_TIMING_RULES) {
    const [from, to] = [running.timings[field], timings[field]];
    if (to != null && to !== from) changes.push({ setting: field, from, to });
  }
  if (allowUsers && !sameAccounts(allowUsers, running.guests))
    changes.push({ setting: 'allow_users', from: [...running.guests], to: [...allowUsers] });
  return changes;
}

function sameAccounts(some: readonly number[], others: readonly number[]): boolean {
  return some.length === others.length && some.every((uid) => others.includes(uid));
}

/** `mode foreground → background, stale-active-recovery-seconds 5 → 10` */
export function changesInWords(changes: readonly GatewayChange[]): string {
  return changes
    .map((change) => {
      if (change.setting === 'execution_mode')
        return `mode ${EXECUTION_MODES[change.from].words} → ${EXECUTION_MODES[change.to].words}`;
      const words = (value: number | readonly number[]): string => String(value) || 'none';
      return `${change.setting.replaceAll('_', '-')} ${words(change.from)} → ${words(change.to)}`;
    })
    .join(', ');
}
