import type { Context, MiddlewareHandler } from 'hono';
import { errorBody, type Route, type SourceView, sourceView } from '../wire/index.ts';
import { isJson } from './read-body.ts';

const routes = new WeakMap<Context, Route>();
const views = new WeakMap<object, SourceView>();

/** Which route a request has reached. */
export function reached(context: Context, route: Route): void {
  routes.set(context, route);
}

/**
 * What is ours is left out of every answer, whoever made it: a handler, a gateway behind the server, an error, a stream. Our own
 * programs say `X-Rouse: 1` and get all of it. Answers of routes that are ours alone are left as they are.
 */
export function sourceWire(): MiddlewareHandler {
  return async (context, next) => {
    await next();
    if (context.req.header('x-rouse') === '1') return;
    const schema = context.res.status >= 400 ? errorBody : answerOf(routes.get(context));
    const told = schema && narrowed(context.res, viewOf(schema));
    if (!told) return;
    const answer = await told;
    context.res = undefined;
    context.res = answer;
  };
}

const answerOf = (route: Route | undefined): Route['response'] | undefined =>
  route === undefined || route.ours ? undefined : route.response;

function viewOf(schema: Route['response']): SourceView {
  const known = views.get(schema) ?? sourceView(schema);
  views.set(schema, known);
  return known;
}

/** Undefined of what is neither JSON nor events. */
function narrowed(response: Response, view: SourceView): Promise<Response> | Response | undefined {
  const type = response.headers.get('content-type') ?? '';
  if (isJson(type)) return wholeAnswer(response, view);
  if (!type.startsWith('text/event-stream') || !response.body) return undefined;
  return new Response(
    response.body
      .pipeThrough(new TextDecoderStream() as never)
      .pipeThrough(eventLines(view))
      .pipeThrough(new TextEncoderStream()),
    response,
  );
}

async function wholeAnswer(response: Response, view: SourceView): Promise<Response> {
  const text = await response.text();
  const { status, headers } = response;
  const kept = new Headers(headers);
  kept.delete('content-length');
  return new Response(jsonOr(text, view), { status, headers: kept });
}

/** Events line by line: `data:` is JSON of the route, the others are the stream's own. */
function eventLines(view: SourceView): TransformStream<string, string> {
  let rest = '';
  return new TransformStream({
    transform(part, out) {
      const lines = (rest + part).split('\n');
      rest = lines.pop()!;
      for (const line of lines) out.enqueue(`${eventLine(line, view)}\n`);
    },
    flush: (out) => {
      if (rest) out.enqueue(eventLine(rest, view));
    },
  });
}

const eventLine = (line: string, view: SourceView): string =>
  line.startsWith('data:') ? `data: ${jsonOr(line.slice('data:'.length).trim(), view)}` : line;

/** What is not JSON stays as it is. */
function jsonOr(text: string, view: SourceView): string {
  try {
    return JSON.stringify(view(JSON.parse(text)));
  } catch {
    return text;
  }
}
