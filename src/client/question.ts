import { invalid } from '../base/index.ts';
// Imported directly because the index of wire/ loads the schemas.
import type { AnswerOf, FleetRoutes, GatewayRoutes, InputOf } from '../wire/index.ts';
import { fillPath, methodOf, type Place, pathOf } from '../wire/place.ts';
import { carriedPath, FLEET_PLACES, type GATEWAY_PLACES } from '../wire/places.ts';

/** A request to a route, ready to send. */
export interface Question {
  method: string;
  path: string;
  body: unknown;
}

/** Puts the input of a route in its place: path parameters by name, `body`, and the rest into the query. */
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

/** One escaped segment of a path. Throws on text that a server would normalise away (`.`, `..`) or that is empty. */
export function segment(text: string, what: string): string {
  if (text === '' || text === '.' || text === '..')
    throw invalid(`${what} ${JSON.stringify(text)} is not valid`);
  return encodeURIComponent(text);
}

/** Maps a path of this agent's gateway to the path where a fleet server serves it. */
export function fleetPath(agentRef: string): (path: string) => string {
  const ref = segment(agentRef, 'agent ref');
  return (path) => fillPath(carriedPath(path), () => ref);
}

/** The query string of the values that are defined. */
function queryText(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`);
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}
