import { type Clock, Gather } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { BEATS, type BeatRow, beatValues, type SentBeat } from './beat-statement.ts';

const PAUSE_MS = 20;
const MAX_AT_ONCE = 500;

/** Versions of the agents' mailboxes on this server, by workspace; agents without one are left out. */
export type MailVersions = (
  sql: Sql,
  workspaceIds: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

interface QuietBeatsDependencies {
  sql: Sql;
  clock: Clock;
  mailVersions: MailVersions;
}

/** Heartbeats that only report how the agent is, which is nearly all of them: one statement for many agents. */
export class QuietBeats {
  readonly #beats: Gather<SentBeat, BeatRow | undefined>;
  readonly #mail: Gather<string, string | undefined>;

  constructor({ sql, clock, mailVersions }: QuietBeatsDependencies) {
    const pace = { clock, pauseMs: PAUSE_MS, maxItems: MAX_AT_ONCE };
    this.#beats = new Gather({ ...pace, ask: (beats) => recordAll(sql, beats) });
    this.#mail = new Gather({
      ...pace,
      ask: async (ids) => {
        const versions = await mailVersions(sql, ids);
        return ids.map((id) => versions.get(id));
      },
    });
  }

  /** Undefined: nothing was recorded. The heartbeat must be recorded on its own, where it may wait and be refused. */
  record(beat: SentBeat): Promise<BeatRow | undefined> {
    return this.#beats.ask(beat);
  }

  mailVersion(workspaceId: string): Promise<string | undefined> {
    return this.#mail.ask(workspaceId);
  }
}

async function recordAll(sql: Sql, beats: readonly SentBeat[]): Promise<(BeatRow | undefined)[]> {
  const first = new Map<string, SentBeat>();
  for (const beat of beats) if (!first.has(beat.caller.workspaceId)) first.set(beat.caller.workspaceId, beat);
  let rows: BeatRow[] = [];
  try {
    ({ rows } = await sql.query<BeatRow>(BEATS, beatValues([...first.values()]), { prepared: true }));
  } catch {
    // One that cannot be recorded must not stop the others: each is then recorded on its own.
  }
  const byId = new Map(rows.map((row) => [row.id, row]));
  return beats.map((beat) =>
    first.get(beat.caller.workspaceId) === beat ? byId.get(beat.caller.workspaceId) : undefined,
  );
}
