import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../base/index.ts';
import { openSqlite, type Sqlite } from '../../db/index.ts';
import { FakeSurface } from '../../terminal/index.ts';
import { QUEUE_MIGRATIONS } from '../queue/schema.ts';
import { FLEET_MIGRATIONS } from './fleet-store.ts';
import { TurnReports } from './turn-reports.ts';

let db: Sqlite;
let clock: FakeClock;
let surface: FakeSurface;
let epoch: number;
let reports: TurnReports;

const ID = '019a8f7e-0000-7000-8000-000000000001';
const outcome = (turn_follows = true) => ({
  id: ID,
  request_id: 'gwreq-1',
  outcome: 'submitted' as const,
  at: '2026-01-01T00:00:00.000Z',
  turn_follows,
});
const open = (): TurnReports => {
  const opened: TurnReports = new TurnReports({
    db,
    clock,
    surface,
    epoch: () => epoch,
    later: () => opened.look(),
  });
  return opened;
};
const states = () => reports.unreported().map(({ state }) => state);

/** Writes the end of the turn into the ledger, as the lane does. */
const finish = (facts: object): void => {
  db.run(
    `INSERT INTO gateway_request_ledger (entry_id, request_id, stage, source, at_utc, facts_json)
       VALUES (7, 'gwreq-1', 'turn_finished', 'turn', '2026-01-01T00:00:09.000Z', ?)`,
    [JSON.stringify(facts)],
  );
};

beforeEach(() => {
  db = openSqlite({ file: ':memory:', migrations: [...QUEUE_MIGRATIONS, ...FLEET_MIGRATIONS] });
  db.run(
    `INSERT INTO gateway_requests (sequence, request_id, request_kind, payload_json, state, accepted_at_utc,
       managed_agent_instance_epoch, source, priority) VALUES (1, 'gwreq-1', 'submit_prompt', '{}', 'completed', '', 1, 'fleet', 0)`,
  );
  clock = new FakeClock();
  surface = new FakeSurface();
  surface.show({ ready: false, busy: true, reasons: ["phase='active'"] });
  epoch = 1;
  reports = open();
  reports.follow([outcome()]);
  reports.look();
});

describe('a turn of a message that was submitted', () => {
  it('a turn whose dialog was closed by an interrupt was interrupted, whatever the tool reports', () => {
    db.run(
      `INSERT INTO gateway_requests (sequence, request_id, request_kind, payload_json, state, accepted_at_utc,
         managed_agent_instance_epoch, source, priority)
         VALUES (2, 'gwreq-2', 'interrupt', '{"turn_of":"gwreq-1"}', 'running', '', 1, 'fleet', 0)`,
    );
    finish({ result: 'success' });
    reports.look();
    expect(states()).toEqual([]);
    const end = (facts: object) => {
      const result = JSON.stringify({ evidence: [{ source: 'keys', facts }] });
      db.run("UPDATE gateway_requests SET state = 'completed', result_json = ? WHERE sequence = 2", [result]);
    };
    end({ into_dialog: 'permission', still_busy: false });
    reports.look();
    expect(reports.unreported()).toMatchObject([
      { state: 'finished', result: 'interrupted', evidence: 'turn' },
    ]);
  });

  it('a turn ends as the tool reports when an interrupt met no dialog, or the turn went on', () => {
    const interrupt = (sequence: number, facts: object) =>
      db.run(
        `INSERT INTO gateway_requests (sequence, request_id, request_kind, payload_json, state, accepted_at_utc,
           managed_agent_instance_epoch, source, priority, result_json)
           VALUES (?, ?, 'interrupt', '{"turn_of":"gwreq-1"}', 'completed', '', 1, 'fleet', 0, ?)`,
        [sequence, `i-${sequence}`, JSON.stringify({ evidence: [{ source: 'keys', facts }] })],
      );
    interrupt(2, { into_dialog: 'permission', still_busy: true });
    interrupt(3, { into_dialog: null, still_busy: false });
    finish({ result: 'success' });
    reports.look();
    expect(reports.unreported()).toMatchObject([{ state: 'finished', result: 'success' }]);
  });

  it('a turn goes on until the ledger has its end, which is reported with its evidence and the answer', () => {
    expect([states(), reports.hasNews]).toEqual([[], false]);
    finish({ result: 'success', answer: 'Done.\u0000\ud800' });
    reports.look();
    const unreported = reports.unreported();
    expect(unreported).toEqual([
      {
        id: ID,
        request_id: 'gwreq-1',
        state: 'finished',
        at: '2026-01-01T00:00:09.000Z',
        result: 'success',
        evidence: 'turn',
        answer: 'Done.\ufffd',
        answer_cut: false,
      },
    ]);
    reports.markReported(unreported);
    expect([states(), reports.hasNews]).toEqual([[], false]);
    expect(db.get<{ n: number }>('SELECT COUNT(*) AS n FROM gateway_fleet_turns')).toEqual({ n: 0 });
  });

  it('a turn of a headless tool ends with its exit code, and a long answer is cut', () => {
    finish({ exit_code: 1, answer: 'x'.repeat(70_000) });
    reports.look();
    const [report] = reports.unreported();
    expect([report!.result, report!.answer!.length, report!.answer_cut]).toEqual([
      'known_failure',
      64_000,
      true,
    ]);
  });

  it('a turn waits for the user while a dialog is open, and goes on after it', () => {
    surface.show({ reasons: ["dialog='permission'"] });
    reports.look();
    expect(reports.unreported()).toMatchObject([{ state: 'input_required', detail: "dialog='permission'" }]);
    reports.markReported(reports.unreported());
    surface.show({ reasons: ["phase='active'"] });
    reports.look();
    expect(states()).toEqual(['working']);
    reports.markReported(reports.unreported());
    finish({ result: 'interrupted' });
    reports.look();
    expect(reports.unreported()).toMatchObject([{ state: 'finished', result: 'interrupted' }]);
  });

  it('a turn without an end in the ledger is unproven once the agent has been ready for a moment', async () => {
    surface.show({ ready: true, busy: false, reasons: [] });
    reports.look();
    expect(states()).toEqual([]);
    await clock.advance(2000);
    expect(states()).toEqual(['unproven']);
  });

  it('a turn is not unproven when the ledger gets its end within that moment', async () => {
    surface.show({ ready: true, busy: false, reasons: [] });
    reports.look();
    await clock.advance(1000);
    finish({ result: 'success' });
    await clock.advance(1000);
    expect(states()).toEqual(['finished']);
  });

  it('a turn is lost when the tool is gone', async () => {
    surface.show({ connectivity: 'unavailable', unavailableReason: 'the tool is not running (shell)' });
    reports.look();
    expect(states()).toEqual([]);
    await clock.advance(2000);
    expect(reports.unreported()).toMatchObject([
      { state: 'lost', detail: 'the tool is not running (shell)' },
    ]);
  });

  it('a turn is lost when the tool was restarted', () => {
    epoch = 2;
    reports.look();
    expect(states()).toEqual(['lost']);
  });

  it('the next gateway follows an open turn and sends its unsent reports', async () => {
    reports = open();
    surface.show({ reasons: ["dialog='permission'"] });
    reports.look();
    reports = open();
    expect([states(), reports.hasNews]).toEqual([['input_required'], true]);
    epoch = 2;
    reports.look();
    expect(states()).toEqual(['lost']);
  });

  it('the turn of a message that was not submitted is not followed', () => {
    db.run('DELETE FROM gateway_fleet_turns');
    reports = open();
    reports.follow([outcome(false)]);
    surface.show({ ready: true });
    reports.look();
    expect(states()).toEqual([]);
  });
});
