import { type Clock, isRouseError, type Log, messageOf, utcStamp } from '../../base/index.ts';
import type { FleetConnection } from '../../wire/index.ts';

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;
/** How often the files are read for another token after this one was refused. */
const REFUSED_PAUSE_MS = 30_000;
/** How often the same token is tried again: a refusal may be undone, but there is no hurry. */
const REFUSED_TRY_MS = 600_000;

export interface ConnectionOptions {
  clock: Clock;
  log: Log;
  random?: () => number;
  /** The state changed, so the status files must be written. */
  changed: () => void;
}

/** The state of the connection, and when to try again. Each change is logged once. */
export class Connection {
  #options: ConnectionOptions;
  #failures = 0;
  #refusedAt = 0;
  #view: FleetConnection;

  constructor(options: ConnectionOptions, facts: { url: string; workspaceId: string }) {
    this.#options = options;
    this.#view = {
      url: facts.url,
      workspace_id: facts.workspaceId,
      state: 'connecting',
      since_utc: utcStamp(options.clock.now()),
      detail: null,
    };
  }

  get view(): FleetConnection {
    return this.#view;
  }

  get refused(): boolean {
    return this.#view.state === 'refused';
  }

  /** Milliseconds to wait before the refused token is tried again; 0 if it may be tried now. */
  get pause(): number {
    if (!this.refused || this.#options.clock.monotonic() - this.#refusedAt >= REFUSED_TRY_MS) return 0;
    return REFUSED_PAUSE_MS;
  }

  /** Returns true if the server was not connected before. */
  succeeded(): boolean {
    const isBack = this.#view.state !== 'connected';
    this.#failures = 0;
    this.#changeTo('connected', null);
    return isBack;
  }

  /** Returns the milliseconds until the next try: longer each time, with jitter so that gateways do not try together. */
  failed(error: unknown): number {
    const refused = isRefusal(error);
    this.#changeTo(refused ? 'refused' : 'away', messageOf(error));
    if (refused) {
      this.#refusedAt = this.#options.clock.monotonic();
      return REFUSED_PAUSE_MS;
    }
    const asked = isRouseError(error) ? Number(error.facts['retry_after'] ?? 0) * 1000 : 0;
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(10, this.#failures++));
    return Math.max(asked, pause * (0.75 + 0.5 * (this.#options.random ?? Math.random)()));
  }

  #changeTo(state: FleetConnection['state'], detail: string | null): void {
    const { clock, log, changed } = this.#options;
    if (this.#view.state === state) return;
    this.#view = { ...this.#view, state, detail, since_utc: utcStamp(clock.now()) };
    if (state === 'connected') log.info('fleet server connected', { url: this.#view.url });
    else
      log.warn(state === 'refused' ? 'the fleet server refuses this agent' : 'the fleet server is away', {
        cause: detail,
      });
    changed();
  }
}

/** The server refused this agent: trying again without a change cannot help. */
function isRefusal(error: unknown): boolean {
  if (!isRouseError(error)) return false;
  return (
    error.code === 'unauthorized' || error.code === 'forbidden' || error.facts['cause'] === 'session_replaced'
  );
}
