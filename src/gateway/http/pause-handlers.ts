import type { Handlers } from '../../http/index.ts';
import type { GatewayRoutes, PauseStatus } from '../../wire/index.ts';
import type { SessionPause } from '../pause/index.ts';

type PauseRoutes = Pick<GatewayRoutes, 'pause.status' | 'pause.begin' | 'pause.end'>;

/** A person's pause of the agent. */
export function pauseHandlers(hold: SessionPause): Handlers<PauseRoutes> {
  const status = (): PauseStatus => ({ schema_version: 1, paused: hold.now() ?? null });
  return {
    'pause.status': status,
    'pause.begin': async ({ body }) => {
      const { until_utc: until } = await body();
      return { schema_version: 1, paused: await hold.begin(until ?? null) };
    },
    'pause.end': () => {
      hold.end();
      return status();
    },
  };
}
