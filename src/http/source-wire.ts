import type { Context, MiddlewareHandler } from 'hono';
import { errorBody, type Route, type SourceView, sourceView } from '../wire/index.ts';
import { isJson } from './read-body.ts';

const routes = new WeakMap<Context, Route>();
const views = new WeakMap<object, SourceView>();

/** Notes which route a request has reached. */
export function reached(context: Context, route: Route): void {
  routes.set(context, route);
}

/**
 * Removes our fields from every response: of a handler, of a gateway behind the server, of an error, in a stream. Our own
 * programs send `X-Rouse: 1` and get all fields. Responses of routes that only we have stay as they are.
 */
export function sourceWire(): MiddlewareHandler {
  return async (context, next) => {
    await next();
    if (context.req.header('x-rouse') === '1') return;
    const schema = context.res.status >= 400 ? errorBody : answerOf(routes.get(context));
    const narrower = schema && narrowed(context.res, viewOf(schema));
    if (!narrower) return;
    const answer = await narrower;
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

/** Undefined when the response is neither JSON nor events. */
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

/** Rewrites events line by line: `data:` holds JSON of the route; other lines belong to the stream. */
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

/** Text that is not JSON stays as it is. */
function jsonOr(text: string, view: SourceView): string {
  try {
    return JSON.stringify(view(JSON.parse(text)));
  } catch {
    return text;
  }
}
