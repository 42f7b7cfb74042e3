import * as path from 'node:path';
import { notFound } from '../base/index.ts';
import { fleetClientOf } from './fleet-client.ts';
import type { CallOptions } from './gateway-client.ts';
import type { FleetInput, FleetRouteId } from './question.ts';
import { sessionFleet } from './session-fleet.ts';

/** The mailbox that a fleet server keeps for the agent of a session; its routes are called by name. */
export interface FleetMail {
  readonly url: string;
  ask<T>(what: string, input: object, options?: CallOptions): Promise<T>;
}

/**
 * Server and token are in the files of the session. They are read for each call, because an agent that registers again gets
 * another token.
 */
export function fleetMail(fleetDirectory: string): FleetMail {
  const place = () => {
    const found = sessionFleet(path.dirname(fleetDirectory));
    if (found) return found;
    throw notFound(`the session of ${path.dirname(fleetDirectory)} is not registered with a fleet server`, {
      hint: 'set ROUSE_FLEET_URL and run "rouse fleet register NAME"',
    });
  };
  return {
    get url() {
      return place().url;
    },
    async ask<T>(what: string, input: object, options?: CallOptions) {
      const client = fleetClientOf(place());
      const route = `mailbox.${what}` as FleetRouteId;
      return (await client.call(route, input as FleetInput<FleetRouteId>, options)) as T;
    },
  };
}
