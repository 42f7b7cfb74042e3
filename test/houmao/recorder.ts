import { expect } from 'vitest';
import type { Route, Routes } from '../../src/wire/index.ts';
import { routeOf } from '../support/answers.ts';
import { DETAILS, differences, ERROR, type Model, REFUSED_PROMPT } from './models.ts';

// biome-ignore lint/suspicious/noExplicitAny: whatever a server answers; each test says what it expects
export type Json = Record<string, any>;

/** Asks a server as a client of the source does, and holds each answer against the source's model of its route. */
export class Recorder {
  /** Routes that answered with a success: `GET /v1/status`. */
  readonly recorded = new Set<string>();
  readonly #url: string;
  readonly #routes: Routes;
  readonly #models: Readonly<Record<string, Model>>;

  constructor(url: string, routes: Routes, models: Readonly<Record<string, Model>>) {
    this.#url = url;
    this.#routes = routes;
    this.#models = models;
  }

  /** What must succeed. */
  async ask(method: string, target: string, body?: unknown, token?: string): Promise<Json> {
    const { status, text } = await this.#send(method, target, body, token);
    if (status >= 400) throw new Error(`${method} ${target}: ${status} ${text}`);
    const route = routeOf(this.#routes, method, target)!;
    const name = nameOf(route);
    this.recorded.add(name);
    if (route.contentType) return {};
    const answer = JSON.parse(text) as Json;
    expect([name, differences(this.#models[name]!, answer)]).toEqual([name, []]);
    // Its list depends on the transport.
    if (name.endsWith('/state/detail')) {
      const model = DETAILS[answer['detail'].transport]!;
      expect([name, differences(model, answer['detail'], 'detail.')]).toEqual([name, []]);
    }
    return answer;
  }

  /** What must be refused. */
  async refused(method: string, target: string, body?: unknown): Promise<Json> {
    const { status, text } = await this.#send(method, target, body);
    expect(status).toBeGreaterThanOrEqual(400);
    const answer = JSON.parse(text) as Json;
    const model =
      typeof answer['detail'] === 'object' && !Array.isArray(answer['detail']) ? REFUSED_PROMPT : ERROR;
    expect([target, differences(model, answer)]).toEqual([target, []]);
    return answer;
  }

  async #send(method: string, target: string, body?: unknown, token?: string) {
    const response = await fetch(this.#url + target, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  }
}

export const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

/** The source's own routes among ours. */
export const sourceRoutes = (routes: Routes): string[] =>
  Object.values<Route>(routes)
    .filter(({ ours }) => !ours)
    .map(nameOf);
