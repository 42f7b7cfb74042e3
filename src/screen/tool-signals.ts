/** What the tool itself says, beyond its screen. */
export interface ToolSignal {
  source: string;
  state: 'idle' | 'busy' | 'waiting' | 'interrupted' | 'failed' | 'ended';
  /** How long ago the tool said it. */
  ageMs: number;
  /** For files that outlive their writer: whether the process that wrote it still lives. */
  writerAlive?: boolean;
  /** The source reports events, and some are never reported; without it, the tool keeps it true at every moment. */
  isEvent?: true;
  detail?: string;
}

export interface SignalVerdict {
  /** What holds now; `none` when no signal has anything to say. */
  state: 'idle' | 'busy' | 'waiting' | 'none';
  source: string | null;
  ageMs: number;
  /** It is an event, whose end may never be reported. */
  isEvent: boolean;
  interrupted: boolean;
  failed: boolean;
  /** Signals that were given and not believed, with the reason. */
  dismissed: { source: string; because: string }[];
}

/**
 * Many voices, one answer: waiting beats busy beats idle among those believed, because only "everyone says idle" may
 * add up to ready. A file whose writer is dead is not believed; an event is not believed against a later level.
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
