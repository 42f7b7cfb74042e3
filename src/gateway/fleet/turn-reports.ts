import { type Clock, utcStamp } from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import {
  MESSAGE_TURNS,
  REQUEST_STATES,
  type RequestState,
  reasonText,
  sqlList,
  TURNS_GOING_ON,
} from '../../domain/index.ts';
import type { AgentSurface, Observation } from '../../terminal/index.ts';
import type { OutcomeReport, TurnReport } from '../../wire/index.ts';
import { finishedTurn, wireText } from './finished-turn.ts';

export interface TurnReportsDependencies {
  db: Sqlite;
  clock: Clock;
  surface: Pick<AgentSurface, 'observation'>;
  epoch: () => number;
  /** Enough time has passed for another look(). */
  later: () => void;
}

/** How long a conclusion from the surface alone must hold: evidence of the turn may not be in the ledger yet. */
const SETTLE_MS = 2000;
/** Few, because each report may carry an answer. */
const MAX_PER_BEAT = 10;
const UNFINISHED = sqlList(TURNS_GOING_ON);

interface Row {
  request_id: string;
  message_id: string;
  epoch: number;
  state: TurnReport['state'];
  report_json: string;
}

/**
 * Follows the turns of submitted fleet messages and reports them to the server until they have ended. Stored in the gateway's
 * own database, so a restarted gateway continues. A turn ends when the ledger has its end; if that never comes and the agent is
 * ready again, it is reported as unproven.
 */
export class TurnReports {
  #deps: TurnReportsDependencies;
  #open: Row[];
  /** When the surface first showed that a turn is over or its tool is gone. */
  #since = new Map<string, number>();
  #hasNews: boolean;

  constructor(deps: TurnReportsDependencies) {
    this.#deps = deps;
    this.#open = deps.db.all<Row>(`SELECT * FROM gateway_fleet_turns WHERE state IN ${UNFINISHED}`);
    this.#hasNews = this.unreported().length > 0;
  }

  get hasNews(): boolean {
    return this.#hasNews;
  }

  /** Follows these from now on. Calling it twice is harmless. */
  follow(outcomes: readonly OutcomeReport[]): void {
    for (const { id, request_id, turn_follows } of outcomes) {
      if (!turn_follows) continue;
      const { changes } = this.#deps.db.run(
        `INSERT OR IGNORE INTO gateway_fleet_turns (request_id, message_id, epoch, state, told, report_json)
           VALUES (?, ?, ?, 'working', 'working', '{}')`,
        [request_id, id, this.#deps.epoch()],
      );
      if (changes === 0) continue;
      const row = { request_id, message_id: id, epoch: this.#deps.epoch(), state: 'working' as const };
      this.#open.push({ ...row, report_json: '{}' });
    }
  }

  /** Compares the followed turns with ledger and surface. Costs nothing while there are none. */
  look(): void {
    if (this.#open.length === 0) return;
    const observation = this.#deps.surface.observation();
    const epoch = this.#deps.epoch();
    for (const row of this.#open) {
      const report = this.#interruptedByUs(
        row,
        finishedTurn(this.#deps.db, row.request_id) ?? this.#stateBySurface(row, observation, epoch),
      );
      if (report.state !== row.state) this.#changeTo(row, report);
    }
    this.#open = this.#open.filter(({ state }) => MESSAGE_TURNS[state].goesOn);
  }

  /** A turn that ended because an interrupt closed its dialog was interrupted, whatever the tool reports. */
  #interruptedByUs(row: Row, report: TurnState): TurnState {
    if (report.state !== 'finished' && report.state !== 'unproven') return report;
    const closed = closedItsDialog(this.#deps.db, row.request_id);
    if (closed === 'open') return { state: row.state, at: report.at };
    return closed ? { evidence: 'keys', ...report, state: 'finished', result: 'interrupted' } : report;
  }

  unreported(): TurnReport[] {
    return this.#deps.db
      .all<Row>('SELECT * FROM gateway_fleet_turns WHERE told IS NOT state ORDER BY rowid LIMIT ?', [
        MAX_PER_BEAT,
      ])
      .map(({ message_id, request_id, report_json }) => ({
        id: message_id,
        request_id,
        ...(JSON.parse(report_json) as Omit<TurnReport, 'id' | 'request_id'>),
      }));
  }

  /** The server has these reports. Ended turns are removed. */
  markReported(reports: readonly TurnReport[]): void {
    for (const { request_id, state } of reports) {
      this.#deps.db.run('UPDATE gateway_fleet_turns SET told = ? WHERE request_id = ?', [state, request_id]);
      this.#deps.db.run(
        `DELETE FROM gateway_fleet_turns WHERE request_id = ? AND told = state
           AND state NOT IN ${UNFINISHED}`,
        [request_id],
      );
    }
    this.#hasNews = this.unreported().length > 0;
  }

  /** The state by the surface alone. */
  #stateBySurface(row: Row, observation: Observation, epoch: number): TurnState {
    const at = utcStamp(this.#deps.clock.now());
    if (epoch !== row.epoch) return { state: 'lost', at, detail: 'the tool was started again' };
    const gone = observation.sessionLost || observation.connectivity === 'unavailable';
    if (gone || observation.ready) {
      if (!this.#hasLasted(row.request_id)) return { state: row.state, at };
      if (observation.ready) return { state: 'unproven', at, detail: 'the agent is ready again' };
      return { state: 'lost', at, detail: observation.unavailableReason ?? 'the tool is gone' };
    }
    this.#since.delete(row.request_id);
    const dialog = observation.reasons.find(({ code }) => code === 'dialog');
    return dialog
      ? { state: 'input_required', at, detail: wireText(reasonText(dialog)) }
      : { state: 'working', at };
  }

  #hasLasted(requestId: string): boolean {
    const now = this.#deps.clock.monotonic();
    const since = this.#since.get(requestId);
    if (since !== undefined) return now - since >= SETTLE_MS;
    this.#since.set(requestId, now);
    this.#deps.clock.after(SETTLE_MS, this.#deps.later);
    return false;
  }

  #changeTo(row: Row, report: TurnState): void {
    row.state = report.state;
    this.#deps.db.run('UPDATE gateway_fleet_turns SET state = ?, report_json = ? WHERE request_id = ?', [
      report.state,
      JSON.stringify(report),
      row.request_id,
    ]);
    this.#since.delete(row.request_id);
    this.#hasNews = true;
  }
}

type TurnState = Omit<TurnReport, 'id' | 'request_id'>;

/**
 * Whether an interrupt of this turn closed its dialog, after which nothing ran any more: the tool reports such a turn as
 * finished although no one answered its question. `open`: the interrupt has not ended yet.
 */
export function closedItsDialog(db: Sqlite, requestId: string): boolean | 'open' {
  const row = db.get<{ state: RequestState; result_json: string | null }>(
    `SELECT state, result_json FROM gateway_requests
      WHERE request_kind = 'interrupt' AND json_extract(payload_json, '$.turn_of') = ? ORDER BY sequence DESC LIMIT 1`,
    [requestId],
  );
  if (!row) return false;
  if (REQUEST_STATES[row.state].live) return 'open';
  const { evidence = [] } = JSON.parse(row.result_json ?? '{}') as {
    evidence?: { source: string; facts: { into_dialog?: unknown; still_busy?: unknown } }[];
  };
  return evidence.some(({ source, facts }) => source === 'keys' && facts.into_dialog && !facts.still_busy);
}
