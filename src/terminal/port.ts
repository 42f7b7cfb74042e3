import type { Emitter } from '../base/index.ts';
import type {
  AdmissionPolicy,
  ChatSessionMode,
  Connectivity,
  DeliveryOutcome,
  DialogAfter,
  ParkPolicy,
  Reason,
  SurfaceEligibility,
  SurfaceStage,
  Why,
} from '../domain/index.ts';
import type { ScreenPicture } from '../screen/index.ts';
import type { ParkView } from './limits/parking.ts';

/**
 * The agent's surface: what it shows, and the one way to type into it. A TUI in tmux and a headless tool implement
 * this; the gateway, the direct commands and the tests know only this.
 */
export interface AgentSurface {
  readonly kind: 'tui' | 'headless';
  /** The latest facts. Cheap: the terminal is not contacted. */
  observation(): Observation;
  /** Every change of the observation. A hint: read observation() for the truth. */
  readonly changed: Emitter<Observation>;
  /** The lane. Holds the session's lane lock, re-checks the gate and the reason, types, proves. Never throws for a refusal. */
  deliver(prompt: PromptDelivery): Promise<DeliveryResult>;
  /** Raw keys someone asked for explicitly. They may enter a dialog or a busy turn and are recorded as such. */
  sendKeys(keys: KeyDelivery): Promise<DeliveryResult>;
  /**
   * `pressing` is called just before the keys, which may have to wait for others. If it refuses, none are pressed and
   * the outcome is `superseded`.
   */
  interrupt(requestId: string, pressing?: () => Recheck): Promise<DeliveryResult>;
  /** After a crash between typing and proof: looks for evidence, and erases our unsent text from the composer. */
  recover(interrupted: InterruptedDelivery): Promise<Recovered>;
  /** Reports the end of such a turn when the tool does, until the next prompt. Returns false if the tool never will. */
  followLeft?(turn: LeftTurn): boolean;
  /** How it is handled when a usage limit is reached. Default: `hold`. Absent: limits are not known there. */
  parkBy?(policy: () => ParkPolicy): void;
  /** Attempts left by others that no one passes to `recover`; undefined if nothing can be left. */
  readonly leftovers?: Leftovers;
  /** The contract's TUI routes; undefined for headless targets. */
  readonly tui?: TuiView;
  /** The contract's headless routes; undefined for TUI targets. */
  readonly headless?: HeadlessView;
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface Observation {
  observedAtUtc: string;
  connectivity: Connectivity;
  /** Why it is unavailable, in words. */
  unavailableReason: string | null;
  /** The tmux session itself is gone: nothing can come back without a relaunch. */
  sessionLost: boolean;
  /** The current name of the tmux session, if it is in reach. */
  sessionName?: string | undefined;
  /** The agent process, not only the session: a relaunched tool is another instance. */
  instanceId: string | null;
  eligibility: SurfaceEligibility;
  /** The gate's decision for an ordinary prompt. */
  ready: boolean;
  /** The reasons against it, in the gate's order. */
  reasons: Reason[];
  /** Why raw keys and interrupts, which need less, cannot be pressed now. */
  keysWait?: Why | undefined;
  /** Set if the draft in the composer is ours. */
  typing?: Typing | undefined;
  /** A turn is running, according to the evidence. */
  busy: boolean;
  /** The state of the server that owns the terminal, if one does. */
  owner?: OwnerView | undefined;
  /** The usage limit for which nothing is typed, or whose end has passed and that no turn has confirmed as over. */
  limit?: ParkView | undefined;
}

/** `now`: the lane is typing a prompt. `left`: it typed one that was not proven to be taken. */
export type Typing = 'now' | 'left';

/**
 * A server that owns the terminal. `unobserved`: it was started after the terminal and does not know what it shows, but
 * can type. `window_gone` and `agent_ended` come from our own snapshot, whatever the server reports.
 */
export interface OwnerView {
  baseUrl: string;
  terminalId: string;
  windowName: string;
  state: 'ok' | 'unobserved' | 'unreachable' | 'terminal_unknown' | 'window_gone' | 'agent_ended';
  /** The server's own word for what the agent does; null if it has none. */
  status: string | null;
  /** Keys were pressed that the server cannot press itself: its status may be old until it types again. */
  statusStale: boolean;
  detail: string | null;
}

/** A stage that a delivery reports. */
export type Stage = SurfaceStage;

export interface Evidence {
  /** Where it was seen: composer, transcript_row, hook, status_file, rollout, title, process, event_stream, … */
  source: string;
  atUtc: string;
  facts: Record<string, unknown>;
}

/** A person's pause of the agent: nothing automatic is typed while it lasts. */
export interface Hold {
  /** Why nothing automatic may be typed now; undefined if it may. */
  reason(): string | undefined;
  /** Runs one act of typing, unless the agent is paused. A pause that begins in the meantime waits for its end. */
  unlessHeld<T>(act: () => Promise<T>): Promise<T | HeldBack>;
  /** The pause began or ended. */
  readonly changed: Emitter<void>;
}

/** The act did not run, and why. */
export class HeldBack {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

export interface PromptDelivery {
  requestId: string;
  text: string;
  policy: AdmissionPolicy;
  /** No person asked for it, so a pause of the agent holds it. */
  automatic?: boolean;
  /** Called at the instant of typing: is there still a reason for this prompt? */
  recheck?: () => Promise<Recheck>;
  /** Must be durable before it resolves; the lane takes no further step until then. */
  record: (stage: Stage, evidence: Evidence) => Promise<void>;
  chatSession?: { mode: ChatSessionMode; id?: string };
  execution?: { model?: { name?: string; reasoning?: { level: number } } };
  turnId?: string;
  /** Requested through direct control: only such a prompt uses the one-shot choice of a new chat. */
  direct?: boolean;
  signal?: AbortSignal;
  /** Who learns how it ended if the typing process is killed. Default: only the log. */
  owner?: AttemptOwner;
  /**
   * Waits as long as needed for a tool that does not react to the typed text. When this is aborted, the attempt is
   * `left`. Without it such a delivery ends as `unconfirmed`, and its text is erased once the tool reacts.
   */
  patient?: AbortSignal;
  /** Continues an attempt of an earlier process that `recover` found `unseen`. */
  resume?: boolean;
}

export interface AttemptOwner {
  source: 'queue' | 'reminder' | 'direct';
  id: string;
  title?: string;
}

/** How a prompt ended whose typing process was killed or gave up waiting. */
export interface SettledAttempt {
  requestId: string;
  owner: AttemptOwner;
  verdict: Exclude<Recovered['verdict'], 'unseen'>;
  evidence: Evidence[];
  atUtc: string;
}

export interface Leftovers {
  /**
   * Settles left attempts as far as the screen shows now, and reports each that was settled since the last call.
   * Returns whose attempt is still open.
   */
  settle(report: (settled: SettledAttempt) => Promise<void> | void): Promise<AttemptOwner | undefined>;
  /** Emits when something was settled. A hint: call `settle`. */
  readonly settled: Emitter<void>;
}

export type Recheck = { go: true } | { go: false; reason: string };

/** A turn whose prompt an earlier process submitted and whose end was not reported. */
export interface LeftTurn {
  text: string;
  /** When typing began. */
  sinceUtc: string;
  record: PromptDelivery['record'];
}

export interface InterruptedDelivery {
  requestId: string;
  text: string;
  /** When typing began. */
  sinceUtc: string;
}

/**
 * `not_submitted` only if that is proven and nothing of the text is left in the composer; `found` in its evidence says
 * how. `unseen`: the tool has not reacted to the typed text; nothing was done, and a delivery with `resume`
 * continues it.
 */
export interface Recovered {
  verdict: 'submitted' | 'not_submitted' | 'unknown' | 'unseen';
  evidence: Evidence[];
}

export interface KeyDelivery {
  requestId: string;
  sequence: string;
  /** No person asked for them, so a pause of the agent holds them. */
  automatic?: boolean;
  escapeSpecialKeys?: boolean;
  /**
   * The hash of the only dialog these keys may go into: checked at the instant of typing, and refused if another one or
   * none is open.
   */
  expectedDialog?: string | undefined;
}

export type { DeliveryOutcome, ParkView };

export interface DeliveryResult {
  outcome: DeliveryOutcome;
  reasons: Why[];
  evidence: Evidence[];
  /** True only if it is proven that nothing reached the tool. */
  untouched: boolean;
  /** A pause of the agent stopped it, and its text was erased. It is no failure, however often it happens. */
  held?: boolean;
  /** For keys sent while a dialog was open: what was seen after them. */
  dialogAfter?: DialogAfter;
}

export interface TuiView {
  /** The object of GET /v1/control/tui/state. */
  state(): Record<string, unknown>;
  history(limit: number): Record<string, unknown>;
  notePrompt(prompt: string): Record<string, unknown>;
  /** The terminal's screen with colours; undefined while it is out of reach. */
  screen(): (ScreenPicture & { observedAtUtc: string }) | undefined;
  /** Emits when something was seen. A hint. */
  readonly seen: Emitter<void>;
}

export interface HeadlessView {
  /** The object of GET /v1/control/headless/state, without the gateway's own fields. */
  state(): HeadlessState;
  setNextPromptSession(mode: 'new'): HeadlessState;
}

export interface HeadlessState {
  runtime_resumable: boolean;
  tmux_session_live: boolean;
  can_accept_prompt_now: boolean;
  interruptible: boolean;
  chat_session: {
    current: { id: string } | null;
    startup_default: { mode: 'new' | 'tool_last_or_new' | 'exact'; id: string | null };
    next_prompt_override: { mode: 'new' } | null;
  };
  active_turn_id: string | null;
}
