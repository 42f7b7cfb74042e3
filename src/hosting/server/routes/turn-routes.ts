import * as fs from 'node:fs';
import { Readable } from 'node:stream';
import type { Context } from 'hono';
import { notFound, readIfExists, unsupported } from '../../../base/index.ts';
import { reasonText, reasonTexts } from '../../../domain/index.ts';
import { countAsHeld, type Handlers } from '../../../http/index.ts';
import { type Observation, turnArtefacts } from '../../../terminal/index.ts';
import type { AnswerOf } from '../../../wire/index.ts';
import { isServedHeadless, type TrackedAgent } from '../tracked-agent.ts';
import type { ServedTurns } from '../turns/served-turns.ts';
import type { TurnRecord } from '../turns/turn-store.ts';
import { acceptedView, turnViewOf } from '../turns/turn-view.ts';
import type { AgentRoutes, RouteParts } from './route-parts.ts';

type TurnRoutes = AgentRoutes<
  | 'turns.create'
  | 'turns.list'
  | 'turns.get'
  | 'turns.events'
  | 'turns.artifact'
  | 'internal.prompt'
  | 'internal.state'
>;

/** Turns of headless agents that this server runs. */
export function turnHandlers(parts: RouteParts): Handlers<TurnRoutes> {
  return { ...turnsForPeople(parts), ...turnsForGateways(parts) };
}

function turnsForPeople(
  parts: RouteParts,
): Handlers<Omit<TurnRoutes, 'agents.internal.prompt' | 'agents.internal.state'>> {
  return {
    'agents.turns.create': async ({ context, body }) => {
      const { turns, agent } = await served(context, parts);
      const { turn_id, prompt, chat_session, execution } = await body();
      return acceptedView(
        turns.accept({ turnId: turn_id, prompt, chat_session, execution }),
        agent.facts.root,
      );
    },
    'agents.turns.list': async ({ context, query }) => {
      const { turns, agent } = await served(context, parts);
      const list = turns.all().slice(-query().limit);
      const views = list.map((turn) => turnViewOf(turn, agent.facts.root));
      return { schema_version: 1, tracked_agent_id: agent.trackedId, turns: views };
    },
    'agents.turns.get': async ({ context, params, query }) => {
      const { turns, agent } = await served(context, parts);
      const turn = (): TurnRecord => turns.get(params.turn_id);
      const { after, wait_seconds } = query();
      const done = (): boolean => turn().status !== 'active';
      const changed = (): boolean => done() || (after !== undefined && turn().revision > after);
      await holdResponse(context, parts, { seconds: wait_seconds, changed: turns.changed, until: changed });
      return turnViewOf(turn(), agent.facts.root);
    },
    'agents.turns.events': async ({ context, params, query }) => {
      const { agent, turns } = await served(context, parts);
      const turn = turns.get(params.turn_id);
      const { turn_id, status } = turn;
      const { after, limit } = query();
      const text = readIfExists(turnArtefacts(agent.facts.root, turn_id)!.events) ?? '';
      const lines = text.split('\n').slice(0, -1);
      const entries = lines.slice(after, after + limit).map((line) => eventOf(line, turn));
      const next = after + entries.length;
      return {
        ...{ schema_version: 1, tracked_agent_id: agent.trackedId, turn_id, status },
        ...{ entries, next_after: next, more: next < lines.length },
      };
    },
    'agents.turns.artifact': async ({ context, params: { turn_id, name } }) => {
      const { agent, turns } = await served(context, parts);
      const turn = turns.get(turn_id);
      if (name !== 'stdout' && name !== 'stderr')
        throw notFound(`a turn has the artifacts stdout and stderr, not "${name.slice(0, 100)}"`);
      return context.body(fileStream(turnArtefacts(agent.facts.root, turn.turn_id)![name]), 200, {
        'content-type': 'text/plain; charset=utf-8',
      });
    },
  };
}

function turnsForGateways(
  parts: RouteParts,
): Handlers<Pick<TurnRoutes, 'agents.internal.prompt' | 'agents.internal.state'>> {
  return {
    'agents.internal.prompt': async ({ context, body }) => {
      const { turns, agent } = await served(context, parts);
      const { turn_id, request_id, prompt, chat_session, execution, direct } = await body();
      const wanted = { turnId: turn_id, requestId: request_id, prompt, chat_session, execution, direct };
      return acceptedView(turns.accept(wanted), agent.facts.root);
    },
    'agents.internal.state': async ({ context, query }) => {
      const { surface } = (await served(context, parts)).turns;
      const view = () => ({
        schema_version: 1 as const,
        observation: observed(surface.observation()),
        headless: surface.headless!.state(),
      });
      const { seen, wait_seconds } = query();
      const differs = (): boolean => fingerprint(view()) !== seen;
      await holdResponse(context, parts, { seconds: wait_seconds, changed: surface.changed, until: differs });
      return { ...view(), seen: fingerprint(view()) };
    },
  };
}

function observed({ reasons, keysWait, ...seen }: Observation) {
  return {
    ...seen,
    reasons: reasonTexts(reasons),
    ...(keysWait !== undefined && { keysWait: reasonText(keysWait) }),
  };
}

async function served(
  context: Context,
  { agents, agentOf }: RouteParts,
): Promise<{ agent: TrackedAgent; turns: ServedTurns }> {
  const agent = await agentOf(context);
  if (isServedHeadless(agent)) return { agent, turns: await agents.turnsOf(agent) };
  throw unsupported(`agent ${agent.facts.agentName} is not a headless agent of this server`, {
    hint: 'its gateway runs its turns: POST …/gateway/requests',
    facts: { cause: 'not_served_headless' },
  });
}

interface Waiting<T> {
  /** Undefined: the response is not held. */
  seconds: number | undefined;
  changed: { next(matches: () => boolean, signal: AbortSignal): Promise<T> };
  until: () => boolean;
}

/** With `wait_seconds`, holds the response until the condition is true, the time is up or the client is gone. */
async function holdResponse<T>(
  context: Context,
  { agents, stopping }: RouteParts,
  { seconds, changed, until }: Waiting<T>,
): Promise<void> {
  if (seconds === undefined || until()) return;
  countAsHeld(context);
  const enough = new AbortController();
  const cancel = agents.session.clock.after(seconds * 1000, () => enough.abort());
  const signal = AbortSignal.any([enough.signal, stopping, context.req.raw.signal]);
  await changed.next(until, signal).catch(() => undefined);
  cancel();
}

/** The part of a state that matters; when it was observed does not. */
function fingerprint(view: { observation: { observedAtUtc: string }; headless: unknown }): string {
  const { observedAtUtc: _, ...observation } = view.observation;
  return Buffer.from(JSON.stringify([observation, view.headless])).toString('base64url');
}

type TurnEvent = AnswerOf<TurnRoutes['agents.turns.events']>['entries'][number];

/** A line that is still being written, or is not JSON, is shown as unreadable. */
function eventOf(line: string, { turn_index, accepted_at_utc: timestamp_utc }: TurnRecord): TurnEvent {
  const blank = { kind: 'unreadable', message: '', turn_index, timestamp_utc, payload: null };
  try {
    const event = JSON.parse(line) as Partial<TurnEvent>;
    const raw = event['raw_payload'];
    const payload = raw !== null && typeof raw === 'object' && !Array.isArray(raw) ? raw : null;
    return { ...blank, ...event, payload: payload as TurnEvent['payload'] };
  } catch {
    return { ...blank, raw: line.slice(0, 2000) };
  }
}

/** A turn that has printed nothing has an empty artifact. */
function fileStream(file: string): ReadableStream<Uint8Array> {
  const source = fs.existsSync(file) ? fs.createReadStream(file) : Readable.from([]);
  return Readable.toWeb(source) as ReadableStream<Uint8Array>;
}
