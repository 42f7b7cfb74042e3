import * as z from 'zod';
import { about, count, instant, integer, stamp, strict } from '../fields.ts';
import { PAGE_AGENT_STATES } from './host-view.ts';

/** A week: what a page can show at once. */
export const MAX_LANE_MINUTES = 7 * 24 * 60;

export const pageLanesQuery = strict({
  minutes: about('Length of the time that is shown.', integer.min(5).max(MAX_LANE_MINUTES).default(60)),
  to: about('Its end. Default: now.', instant.optional()),
  cells: about('Into how many cells the time is divided.', integer.min(30).max(720).default(360)),
});

const inCells = z.array(z.tuple([count, count])).max(720);

/** One agent. Numbers of cells count from 0 at `from_utc`. */
export const pageLane = strict({
  id: z.string(),
  name: z.string(),
  host: z.string(),
  here: z.boolean(),
  place: about('Its project or directory; null when it is not known.', z.string().nullable()),
  spans: about(
    'From this cell, so many cells, in this state (an index in `looks`). None: it is not known.',
    z.array(z.tuple([count, count, count])).max(720),
  ),
  wakes: about('Wakes that were typed: cell, number.', inCells),
  mail: about('Mail it received: cell, number.', inCells),
  requests: about('Requests it was sent: cell, number.', inCells),
});

export const pageLanes = strict({
  from_utc: stamp,
  to_utc: stamp,
  cell_ms: z.number().positive(),
  looks: about(
    'The states that occur, with their words.',
    z.array(strict({ state: z.enum(PAGE_AGENT_STATES), words: z.string() })),
  ),
  agents: z.array(pageLane),
  troubles: about('What could not be read.', z.array(z.string())),
});

export type PageLane = z.infer<typeof pageLane>;
export type PageLanes = z.infer<typeof pageLanes>;
