import { Emitter } from '../../base/index.ts';
import { reasonTexts, standingOf, type TuiTimings } from '../../domain/index.ts';
import { contractState, pictureOf } from '../../screen/index.ts';
import type { TuiView, Typing } from '../port.ts';
import { recordedVersion, type SurfaceManifest, tmuxPlace } from '../surface-manifest.ts';
import { PackedHistory } from './packed-history.ts';
import type { Snapshot } from './snapshot.ts';
import type { Tracker } from './tracker.ts';

const KEPT = 1000;

export interface TuiRecordOptions {
  tracker: Tracker;
  manifest: SurfaceManifest;
  sessionRoot: string;
  /** Runtime session id, else the attach identity. */
  trackedSessionId: string;
  /** Undefined when no detector exists for the tool. */
  detectorName: string | undefined;
  timings: TuiTimings;
  lane: { readonly typing: Typing | undefined };
}

/** The contract's view of a TUI: its state as JSON, and a bounded history in memory. */
export class TuiRecord implements TuiView {
  readonly seen = new Emitter<void>();
  readonly #options: TuiRecordOptions;
  readonly #history = new PackedHistory<Record<string, unknown>>(KEPT);
  /** The agent's state at the time of each transition. */
  readonly #standings = new WeakMap<object, Record<string, unknown>>();
  #lastSignature = '';
  readonly #stop: () => void;

  constructor(options: TuiRecordOptions) {
    this.#options = options;
    this.#stop = options.tracker.changed.on((snapshot) => {
      this.#transitions(snapshot);
      this.#remember(snapshot);
      this.seen.emit();
    });
  }

  state(): Record<string, unknown> {
    const { snapshot } = this.#options.tracker;
    return {
      terminal_id: this.#terminalId(),
      tracked_session: this.#trackedSession(snapshot),
      ...this.#observed(snapshot),
      recent_transitions: this.#transitions(snapshot),
    };
  }

  history(limit: number): Record<string, unknown> {
    return {
      terminal_id: this.#terminalId(),
      tracked_session_id: this.#options.trackedSessionId,
      entries: limit > 0 ? this.#history.last(limit) : this.#history.last(),
    };
  }

  /** Notes explicit input that came from elsewhere. Types nothing. */
  notePrompt(_prompt: string): Record<string, unknown> {
    const { tracker } = this.#options;
    tracker.notePrompt(tracker.snapshot.facts);
    return this.state();
  }

  screen(): ReturnType<TuiView['screen']> {
    const { view, facts } = this.#options.tracker.snapshot;
    if (!view) return undefined;
    return { ...pictureOf(view.screen, facts.dialog.value), observedAtUtc: view.atUtc };
  }

  close(): void {
    this.#stop();
  }

  #remember(snapshot: Snapshot): void {
    const gate = this.#options.tracker.gate(snapshot, 'ready_only');
    const { stability, stalled } = snapshot.turn;
    const signature = `${stability.signature} ${gate.ready} ${stalled} ${snapshot.away ?? ''}`;
    if (signature === this.#lastSignature) return;
    this.#lastSignature = signature;
    this.#history.add({ recorded_at_utc: snapshot.at.utc, ...this.#observed(snapshot) });
  }

  #transitions(snapshot: Snapshot): Record<string, unknown>[] {
    const { transitions } = snapshot.turn;
    if (transitions.some((each) => !this.#standings.has(each))) {
      const now = standingAt(this.#contract(snapshot));
      for (const each of transitions) if (!this.#standings.has(each)) this.#standings.set(each, now);
    }
    return transitions.map((each) => ({ ...each, ...this.#standings.get(each) }));
  }

  #contract(snapshot: Snapshot): ReturnType<typeof contractState> {
    const { tracker, detectorName, timings } = this.#options;
    const { view, away, lost, foreground, facts, turn } = snapshot;
    return contractState({
      facts,
      turn,
      screen: view?.screen,
      probe: {
        observedAtUtc: view?.atUtc ?? snapshot.at.utc,
        transport: view ? 'tmux_up' : lost ? 'tmux_missing' : 'probe_error',
        paneId: view?.pane.id ?? '',
        panePid: view?.pane.pid ?? null,
        matchedProcessNames: foreground.kind === 'tool' ? foreground.programs : [],
        error: away ?? null,
      },
      detectorName,
      atMs: tracker.nowMs,
      stabilitySeconds: timings.stability_threshold_seconds,
    });
  }

  #observed(snapshot: Snapshot): Record<string, unknown> {
    const { tracker, manifest } = this.#options;
    const gate = tracker.gate(snapshot, 'ready_only');
    const reasons = gate.ready ? [] : gate.reasons;
    return {
      ...this.#contract(snapshot),
      submit_ready: gate.ready,
      not_ready_reasons: reasonTexts(reasons),
      standing: standingOf({
        agent: manifest.agent_name,
        tool: manifest.tool,
        reasons,
        typing: this.#options.lane.typing,
      }),
    };
  }

  #terminalId(): string {
    const { manifest, trackedSessionId } = this.#options;
    return manifest.interactive?.terminal_id ?? trackedSessionId;
  }

  #trackedSession({ facts, view }: Snapshot): Record<string, unknown> {
    const { manifest, sessionRoot, trackedSessionId } = this.#options;
    const session = view?.pane.sessionName ?? tmuxPlace(manifest).session;
    const terminal = manifest.interactive?.terminal_id;
    return {
      tracked_session_id: trackedSessionId,
      // If a server owns the terminal, the name that server uses.
      session_name: terminal ? session : trackedSessionId,
      tool: manifest.tool,
      observed_tool_version: facts.version.value ?? recordedVersion(manifest) ?? null,
      tmux_session_name: session,
      tmux_window_name: manifest.tmux?.primary_window_name ?? null,
      terminal_aliases: terminal ? [terminal] : [],
      agent_name: manifest.agent_name ?? null,
      agent_id: manifest.agent_id ?? null,
      manifest_path: `${sessionRoot}/manifest.json`,
      session_root: sessionRoot,
    };
  }
}

/** The agent's state that is recorded with a transition. */
function standingAt({ diagnostics, turn, last_turn }: ReturnType<typeof contractState>) {
  return {
    diagnostics_availability: diagnostics.availability,
    turn_phase: turn.phase,
    last_turn_result: last_turn.result,
    last_turn_source: last_turn.source,
    transport_state: diagnostics.transport_state,
    process_state: diagnostics.process_state,
    parse_status: diagnostics.parse_status,
  };
}
