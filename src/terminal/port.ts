import type { Emitter } from '../base/index.ts';
import type {
  AdmissionPolicy,
  Connectivity,
  DeliveryOutcome,
  DialogAfter,
  Reason,
  SurfaceEligibility,
  SurfaceStage,
  Why,
} from '../domain/index.ts';
import type { ScreenPicture } from '../screen/index.ts';

/**
 * The agent's surface: what it shows, and the one way to put something into it. A TUI in tmux and a headless
 * tool implement this; the gateway, the direct commands and the tests know only this.
 */
export interface AgentSurface {
  readonly kind: 'tui' | 'headless';
  /** The latest facts. Cheap: nothing is asked of the terminal here. */
  observation(): Observation;
  /** Every change of the observation. A hint: read observation() for the truth. */
  readonly changed: Emitter<Observation>;
  /** The lane. Holds the session's lane lock, re-checks the gate and the reason, types, proves. Never throws for a refusal. */
  deliver(prompt: PromptDelivery): Promise<DeliveryResult>;
  /** Raw keys someone asked for explicitly. They may enter a dialog or a busy turn and are recorded as such. */
  sendKeys(keys: KeyDelivery): Promise<DeliveryResult>;
  /**
   * `pressing` is called in the instant before the keys, where keys may have to wait for others. If it says no, none are pressed
   * and the outcome is `superseded`.
   */
  interrupt(requestId: string, pressing?: () => Recheck): Promise<DeliveryResult>;
  /** After a crash between typing and proof: looks for evidence, and takes back what of ours still stands unsent in the composer. */
  recover(interrupted: InterruptedDelivery): Promise<Recovered>;
  /** Tells of the end of such a turn when the tool does, until the next prompt; false where the tool never will. */
  followLeft?(turn: LeftTurn): boolean;
  /** What typists left that nobody asks about with `recover`; undefined where nothing can be left. */
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
  /** What the tmux session is called now, where there is one in reach. */
  sessionName?: string | undefined;
  /** The agent process, not only the session: a relaunched tool is another instance. */
  instanceId: string | null;
  eligibility: SurfaceEligibility;
  /** The gate's answer for an ordinary prompt. */
  ready: boolean;
  /** Why not, in the gate's order. */
  reasons: Reason[];
  /** Why raw keys and interrupts, which nothing else holds up, cannot go in now. */
  keysWait?: Why | undefined;
  /** A draft in its composer is not a person's. */
  typing?: Typing | undefined;
  /** A turn is running, as far as evidence tells. */
  busy: boolean;
  /** Where a server owns the terminal: how it stands with that. */
  owner?: OwnerView | undefined;
}

/** `now`: the lane types a prompt. `left`: it typed one that was not proven to be taken. */
export type Typing = 'now' | 'left';

/**
 * A CAO server and its terminal. `unobserved`: it was started after the terminal and cannot tell what it shows; it types all
 * the same. `window_gone` and `agent_ended` are what our own sight says, whatever the server claims.
 */
export interface OwnerView {
  baseUrl: string;
  terminalId: string;
  windowName: string;
  state: 'ok' | 'unobserved' | 'unreachable' | 'terminal_unknown' | 'window_gone' | 'agent_ended';
  /** The server's own word for what the agent does; null where it has none. */
  status: string | null;
  /** Keys were pressed that the server cannot press itself: its word may be old until it types again. */
  statusStale: boolean;
  detail: string | null;
}

/** What a delivery reports of itself. */
export type Stage = SurfaceStage;

export interface Evidence {
  /** Where it was seen: composer, transcript_row, hook, status_file, rollout, title, process, event_stream, … */
  source: string;
  atUtc: string;
  facts: Record<string, unknown>;
}

export interface PromptDelivery {
  requestId: string;
  text: string;
  policy: AdmissionPolicy;
  /** Asked at the instant of typing: is the reason for this prompt still there? */
  recheck?: () => Promise<Recheck>;
  /** Must be durable before it resolves; the lane takes no further step until then. */
  record: (stage: Stage, evidence: Evidence) => Promise<void>;
  chatSession?: { mode: 'auto' | 'new' | 'current' | 'tool_last_or_new' | 'exact'; id?: string };
  execution?: { model?: { name?: string; reasoning?: { level: number } } };
  turnId?: string;
  /** Asked for through direct control: only such a prompt takes the one-shot choice of a new chat. */
  direct?: boolean;
  signal?: AbortSignal;
  /** Who is told what became of it when its typist is killed. Default: nobody but the log. */
  owner?: AttemptOwner;
  /**
   * Waits, for as long as it takes, for a tool that does not answer what was typed: until this is aborted, then the
   * attempt is `left`. Without it such a delivery ends as `unconfirmed`, and its text is taken back when the tool answers.
   */
  patient?: AbortSignal;
  /** Goes on with the attempt of an earlier process that `recover` found `unseen`. */
  resume?: boolean;
}

export interface AttemptOwner {
  source: 'queue' | 'reminder' | 'direct';
  id: string;
  title?: string;
}

/** What became of a prompt whose typist was killed, or had given up waiting. */
export interface SettledAttempt {
  requestId: string;
  owner: AttemptOwner;
  verdict: Exclude<Recovered['verdict'], 'unseen'>;
  evidence: Evidence[];
  atUtc: string;
}

export interface Leftovers {
  /**
   * Settles what was left as far as the screen tells now, and tells of each that was settled since it was last told.
   * Answers with whose attempt is still open.
   */
  settle(tell: (settled: SettledAttempt) => Promise<void> | void): Promise<AttemptOwner | undefined>;
  /** Something was settled. A hint: ask `settle`. */
  readonly settled: Emitter<void>;
}

export type Recheck = { go: true } | { go: false; reason: string };

/** A turn whose prompt an earlier process submitted, and whose end nobody has told. */
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
 * `not_submitted` is said only when it is proven and nothing of it is left in the composer; `found` among the facts of
 * its evidence says in words how that is known. `unseen`: the tool has not answered what was typed; nothing was done, and
 * a delivery with `resume` goes on with it.
 */
export interface Recovered {
  verdict: 'submitted' | 'not_submitted' | 'unknown' | 'unseen';
  evidence: Evidence[];
}

export interface KeyDelivery {
  requestId: string;
  sequence: string;
  escapeSpecialKeys?: boolean;
  /** Only into this dialog, by its hash: checked at the instant of typing, and refused when another is there, or none. */
  expectedDialog?: string | undefined;
}

export type { DeliveryOutcome };

export interface DeliveryResult {
  outcome: DeliveryOutcome;
  reasons: Why[];
  evidence: Evidence[];
  /** True only when it is proven that nothing of it reached the tool. */
  untouched: boolean;
  /** Of keys sent while a dialog was open: what was seen after them. */
  dialogAfter?: DialogAfter;
}

export interface TuiView {
  /** The object of GET /v1/control/tui/state. */
  state(): Record<string, unknown>;
  history(limit: number): Record<string, unknown>;
  notePrompt(prompt: string): Record<string, unknown>;
  /** What the terminal shows, colours and all; undefined while it is out of reach. */
  screen(): (ScreenPicture & { observedAtUtc: string }) | undefined;
  /** Something was seen. A hint. */
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
