import { type Clock, messageOf, utcStamp } from '../../../base/index.ts';
import type { Sql } from '../../../db/index.ts';
import { type AgentState, type LaneTime, laneOf, type Standing } from '../../../domain/index.ts';
import type { GatewayRecords } from '../../../gateway/offline.ts';
import type { Handlers } from '../../../http/index.ts';
import type { HostMail } from '../../../session/index.ts';
import type { PAGE_ROUTES, PageAgentRow, PageLane, PageLanes } from '../../../wire/index.ts';
import type { PageDoor } from '../door/page-door.ts';
import type { HostView } from '../host/host-view.ts';
import type { KeptOpen } from '../kept-open.ts';
import { requestsByAgent } from './request-marks.ts';

export interface LaneHandlerParts {
  door: PageDoor;
  view: HostView;
  readers: KeptOpen<GatewayRecords>;
  mail: HostMail;
  sql: Sql;
  clock: Clock;
}

/** More changes of one agent are never kept. */
const MAX_STATES = 20_000;
/** Others are served in between. */
const YIELD_MS = 10;

type Marks = Map<string, [number, number][]>;

/** The states of every agent over time, divided into cells here: what a page loads depends on its width alone. */
export function laneHandlers(on: LaneHandlerParts): Handlers<Pick<typeof PAGE_ROUTES, 'page.lanes'>> {
  return {
    'page.lanes': ({ context, query }) => {
      on.door.require(context);
      const { minutes, to, cells } = query();
      const nowMs = on.clock.now().getTime();
      const toMs = Math.min(nowMs, to === undefined ? nowMs : Date.parse(to));
      return lanes(on, { fromMs: toMs - minutes * 60_000, toMs, cells });
    },
  };
}

async function lanes(on: LaneHandlerParts, time: LaneTime): Promise<PageLanes> {
  const troubles: string[] = [];
  const trying = async (what: string, work: () => Promise<Marks>): Promise<Marks> => {
    try {
      return await work();
    } catch (error) {
      troubles.push(`${what}: ${messageOf(error)}`);
      return new Map();
    }
  };
  const rows = await on.view.agents();
  const [mail, requests] = await Promise.all([
    trying('mail', () => on.mail.received(time)),
    trying('requests', () => requestsByAgent(on.sql, time)),
  ]);
  const looks = new Looks();
  const places = placesOf(on.view);
  const agents: PageLane[] = [];
  let began = on.clock.monotonic();
  for (const row of rows) {
    if (on.clock.monotonic() - began > YIELD_MS) {
      await new Promise((next) => setImmediate(next));
      began = on.clock.monotonic();
    }
    const { id, name, host, here, address } = row;
    agents.push({
      ...{ id, name, host, here, place: places.get(id) ?? null },
      ...(here ? keptLane(on, id, { time, looks }) : knownLane(row, time, looks)),
      mail: (address !== null && mail.get(address)) || [],
      requests: requests.get(id) ?? [],
    });
  }
  return {
    from_utc: utcStamp(new Date(time.fromMs)),
    to_utc: utcStamp(new Date(time.toMs)),
    cell_ms: (time.toMs - time.fromMs) / time.cells,
    looks: looks.all,
    agents,
    troubles,
  };
}

function placesOf(view: HostView): Map<string, string | null> {
  return new Map(
    [...view.picture.here].map(({ id, project, directory }) => [id, project?.name ?? directory] as const),
  );
}

type Drawn = Pick<PageLane, 'spans' | 'wakes'>;

/** As its gateways kept it. */
function keptLane(
  { view, readers }: LaneHandlerParts,
  id: string,
  { time, looks }: { time: LaneTime; looks: Looks },
): Drawn {
  const place = view.picture.roster.known.get(id);
  const paths = place && view.picture.pathsOf(place);
  const read = (records: GatewayRecords): Drawn => ({
    spans: laneOf(records.states({ ...time, limit: MAX_STATES }), time).map(
      ({ from, cells, state, words }) => [from, cells, looks.of(STATES[state], words)],
    ),
    wakes: records.wakesIn(time),
  });
  return (paths && readers.useIfThere(paths.gateway, read)) ?? { spans: [], wakes: [] };
}

/** On another host: what the registry knows, since it knows it. */
function knownLane(row: PageAgentRow, { fromMs, toMs, cells }: LaneTime, looks: Looks): Drawn {
  const since = row.state_since_utc === null ? Number.NaN : Date.parse(row.state_since_utc);
  const from = Math.floor(((Math.max(since, fromMs) - fromMs) / (toMs - fromMs)) * cells);
  if (!(from < cells)) return { spans: [], wakes: [] };
  return { spans: [[from, cells - from, looks.of(row.state, row.state_words)]], wakes: [] };
}

const STATES: Record<Standing['state'], AgentState> = {
  idle: 'idle',
  working: 'working',
  waiting: 'waiting',
  needs_you: 'needs_you',
  gone: 'gone',
  unknown: 'not_watched',
};

/** States with their words, each once. */
class Looks {
  readonly all: PageLanes['looks'] = [];
  readonly #known = new Map<string, number>();

  of(state: AgentState, words: string): number {
    const key = `${state} ${words}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, this.all.length);
    return this.all.push({ state, words }) - 1;
  }
}
