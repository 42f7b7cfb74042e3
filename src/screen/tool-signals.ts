/** A state that the tool itself reports, apart from its screen. */
export interface ToolSignal {
  source: string;
  state: 'idle' | 'busy' | 'waiting' | 'interrupted' | 'failed' | 'ended';
  /** How long ago the tool reported it. */
  ageMs: number;
  /** For files that may outlive their writer: whether the process that wrote it still lives. */
  writerAlive?: boolean;
  /** The source reports events, and may miss some. Otherwise the tool keeps its state current at every moment. */
  isEvent?: true;
  detail?: string;
}

export interface SignalVerdict {
  /** The current state; `none` if no signal has one. */
  state: 'idle' | 'busy' | 'waiting' | 'none';
  source: string | null;
  ageMs: number;
  /** The state comes from an event, whose end may never be reported. */
  isEvent: boolean;
  interrupted: boolean;
  failed: boolean;
  /** Signals that were not believed, with the reason. */
  dismissed: { source: string; because: string }[];
}

/**
 * Combines the signals into one state. Among the believed ones, waiting beats busy and busy beats idle: only if all of
 * them are idle may the agent be ready. A file whose writer is dead is not believed; nor is an event against a later level.
 */
export function weighSignals(signals: readonly ToolSignal[]): SignalVerdict {
  const dismissed: SignalVerdict['dismissed'] = [];
  const levels = signals.filter((signal) => !signal.isEvent && signal.writerAlive !== false);
  const believed = signals.filter((signal) => {
    const because = dismissal(signal, levels);
    if (because) dismissed.push({ source: signal.source, because });
    return !because;
  });
  const strongest =
    believed.find(({ state }) => state === 'waiting') ??
    believed.find(({ state }) => state === 'busy') ??
    believed.find(({ state }) => state !== 'ended');
  return {
    state: strongest ? settle(strongest.state) : 'none',
    source: strongest?.source ?? null,
    ageMs: strongest?.ageMs ?? 0,
    isEvent: strongest?.isEvent === true,
    interrupted: believed.some(({ state }) => state === 'interrupted'),
    failed: believed.some(({ state }) => state === 'failed'),
    dismissed,
  };
}

function dismissal(signal: ToolSignal, levels: ToolSignal[]): string | undefined {
  if (signal.writerAlive === false) return 'its writer is dead';
  if (!signal.isEvent || signal.state === 'idle') return undefined;
  const later = levels.find((level) => level.state === 'idle' && level.ageMs <= signal.ageMs);
  return later && `${later.source} says idle and is newer`;
}

function settle(state: ToolSignal['state']): SignalVerdict['state'] {
  if (state === 'busy' || state === 'waiting') return state;
  return state === 'ended' ? 'none' : 'idle';
}
