import { invalid } from '../base/index.ts';
// These files of wire/ load no schemas, which is why they are not taken from the index.
import type { AnswerOf, FleetRoutes, GatewayRoutes, InputOf } from '../wire/index.ts';
import { fillPath, methodOf, type Place, pathOf } from '../wire/place.ts';
import { FLEET_PLACES, type GATEWAY_PLACES } from '../wire/places.ts';

/** A route with everything filled in. */
export interface Question {
  method: string;
  path: string;
  body: unknown;
}

/** What a route takes, in its place: parameters of the path by their names, `body`, and the rest in the query. */
export function question(place: Place, input: object = {}): Question {
  const { body, ...values } = input as Record<string, unknown>;
  const path = fillPath(pathOf(place), (name) => {
    const value = String(values[name] ?? '');
    delete values[name];
    return segment(value, name.replaceAll('_', ' '));
  });
  return { method: methodOf(place), path: path + queryText(values), body };
}

export type GatewayRouteId = keyof typeof GATEWAY_PLACES;
export type FleetRouteId = keyof typeof FLEET_PLACES & keyof FleetRoutes;
export type GatewayInput<K extends GatewayRouteId> = InputOf<GatewayRoutes[K]>;
export type GatewayAnswer<K extends GatewayRouteId> = AnswerOf<GatewayRoutes[K]>;
export type FleetInput<K extends FleetRouteId> = InputOf<FleetRoutes[K]>;
export type FleetAnswer<K extends FleetRouteId> = AnswerOf<FleetRoutes[K]>;

export function fleetQuestion<K extends FleetRouteId>(id: K, input: FleetInput<K>): Question {
  return question(FLEET_PLACES[id], input as object);
}

/** One segment of a path; what a server would fold away (`.`, `..`) or take for another route is refused. */
export function segment(text: string, what: string): string {
  if (text === '' || text === '.' || text === '..')
    throw invalid(`${what} ${JSON.stringify(text)} is not valid`);
  return encodeURIComponent(text);
}

/** The query string of the values that are there. */
function queryText(query: Readonly<Record<string, unknown>>): string {
  const asked = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`);
  return asked.length > 0 ? `?${asked.join('&')}` : '';
}
