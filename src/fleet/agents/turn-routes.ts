import * as fs from 'node:fs';
import { Readable } from 'node:stream';
import type { Context, Hono } from 'hono';
import { type Clock, notFound, readIfExists, unsupported } from '../../base/index.ts';
import { queryNumber, readBody } from '../../http/index.ts';
import { turnArtefacts } from '../../terminal/index.ts';
import { internalPromptBody, turnBody } from '../../wire/index.ts';
import type { RouteParts } from './route-parts.ts';
import type { ServedTurns } from './served-turns.ts';
import { isServedHeadless, type TrackedAgent } from './tracked-agent.ts';
import { type TurnRecord, turnViewOf } from './turn-store.ts';

/** Answers that are held until something happens are let go after this long, so that both sides know the other lives. */
const LONGEST_WAIT_SECONDS = 25;

/** Turns of headless agents that this server runs. */
export function turnRoutes(app: Hono, { agents, agentOf, stopping }: RouteParts): void {
  const served = async (context: Context): Promise<{ agent: TrackedAgent; turns: ServedTurns }> => {
    const agent = await agentOf(context);
    if (isServedHeadless(agent)) return { agent, turns: await agents.turnsOf(agent) };
    throw unsupported(`agent ${agent.facts.agentName} is not a headless agent of this server`, {
      hint: 'its turns are run by its gateway: POST …/gateway/requests',
      facts: { cause: 'not_served_headless' },
    });
  };
  const waiting = { clock: agents.session.clock, stopping };

  app.post('/houmao/agents/:ref/turns', async (context) => {
    const { turns } = await served(context);
    const { turn_id, prompt, chat_session, execution } = await readBody(context, turnBody);
    const { turn, duplicate } = turns.accept({ turnId: turn_id, prompt, chat_session, execution });
    return context.json({ ...turnViewOf(turn), ...(duplicate && { duplicate }) });
  });

  app.post('/houmao/agents/:ref/gateway/internal/headless-prompt', async (context) => {
    const { turns } = await served(context);
    const body = await readBody(context, internalPromptBody);
    const { turn, duplicate } = turns.accept({
      turnId: body.turn_id,
      requestId: body.request_id,
      prompt: body.prompt,
      chat_session: body.chat_session,
      execution: body.execution,
      direct: body.direct,
    });
    return context.json({ ...turnViewOf(turn), ...(duplicate && { duplicate }) });
  });

  app.get('/houmao/agents/:ref/gateway/internal/headless-state', async (context) => {
    const { turns } = await served(context);
    const { surface } = turns;
    const view = () => ({
      schema_version: 1,
      observation: surface.observation(),
      headless: surface.headless?.state(),
    });
    const seen = context.req.query('seen');
    const differs = (): boolean => fingerprint(view()) !== seen;
    await held(context, waiting, surface.changed, differs);
    return context.json({ ...view(), seen: fingerprint(view()) });
  });

  app.get('/houmao/agents/:ref/turns', async (context) => {
    const { turns, agent } = await served(context);
    const limit = queryNumber(context, 'limit', { min: 1, max: 1000 }) ?? 100;
    const list = turns.all().slice(-limit).map(turnViewOf);
    return context.json({ schema_version: 1, tracked_agent_id: agent.trackedId, turns: list });
  });

  app.get('/houmao/agents/:ref/turns/:turn', async (context) => {
    const { turns } = await served(context);
    const turn = (): TurnRecord => turns.get(context.req.param('turn'));
    const after = queryNumber(context, 'after', { min: 0, max: 1e15 });
    const done = (): boolean => turn().status !== 'active';
    await held(
      context,
      waiting,
      turns.changed,
      () => done() || (after !== undefined && turn().revision > after),
    );
    return context.json(turnViewOf(turn()));
  });

  app.get('/houmao/agents/:ref/turns/:turn/events', async (context) => {
    const { agent, turns } = await served(context);
    const { turn_id, status } = turns.get(context.req.param('turn'));
    const after = queryNumber(context, 'after', { min: 0, max: 1e9 }) ?? 0;
    const limit = queryNumber(context, 'limit', { min: 1, max: 10_000 }) ?? 1000;
    const text = readIfExists(turnArtefacts(agent.facts.root, turn_id)!.events) ?? '';
    const lines = text.split('\n').slice(0, -1);
    const entries = lines.slice(after, after + limit).map(parseLine);
    const next = after + entries.length;
    return context.json({
      schema_version: 1,
      turn_id,
      status,
      entries,
      next_after: next,
      more: next < lines.length,
    });
  });

  app.get('/houmao/agents/:ref/turns/:turn/artifacts/:name', async (context) => {
    const { agent, turns } = await served(context);
    const { turn_id } = turns.get(context.req.param('turn'));
    const name = context.req.param('name');
    if (name !== 'stdout' && name !== 'stderr')
      throw notFound(`a turn has the artifacts stdout and stderr, not "${name.slice(0, 100)}"`);
    return context.body(fileStream(turnArtefacts(agent.facts.root, turn_id)![name]), 200, {
      'content-type': 'text/plain; charset=utf-8',
    });
  });
}

/** With `wait_seconds`, the answer is held until what is asked for holds, or the time is over, or nobody waits any more. */
async function held<T>(
  context: Context,
  { clock, stopping }: { clock: Clock; stopping: AbortSignal },
  changed: { next(matches: () => boolean, signal: AbortSignal): Promise<T> },
  holds: () => boolean,
): Promise<void> {
  const seconds = queryNumber(context, 'wait_seconds', { min: 0, max: LONGEST_WAIT_SECONDS });
  if (seconds === undefined || holds()) return;
  const enough = new AbortController();
  const cancel = clock.after(seconds * 1000, () => enough.abort());
  const signal = AbortSignal.any([enough.signal, stopping, context.req.raw.signal]);
  await changed.next(holds, signal).catch(() => undefined);
  cancel();
}

/** What matters of a state: when it was looked at does not. */
function fingerprint(view: { observation: { observedAtUtc: string }; headless: unknown }): string {
  const { observedAtUtc: _, ...observation } = view.observation;
  return Buffer.from(JSON.stringify([observation, view.headless])).toString('base64url');
}

/** A line that is being written, or is not JSON, is shown as what it is. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return { kind: 'unreadable', raw: line.slice(0, 2000) };
  }
}

/** A turn that has printed nothing has an empty artifact. */
function fileStream(file: string): ReadableStream<Uint8Array> {
  const source = fs.existsSync(file) ? fs.createReadStream(file) : Readable.from([]);
  return Readable.toWeb(source) as ReadableStream<Uint8Array>;
}
