import type { Context } from 'hono';
import { type Handlers, isOwner } from '../../http/index.ts';
import { ANY_FILE, type FileAccess } from '../../mail/index.ts';
import {
  CALLER_HEADER,
  type Caller,
  type Capability,
  callersIn,
  GATEWAY_ROUTES,
  type GatewayRoutes,
  mayCall,
  NEEDS,
  requireCapability,
} from '../../wire/index.ts';

/** Returns the caller at the other end of the connection, and those it says it acts for. */
export function callersOf(context: Context): Caller[] {
  return [isOwner(context) ? 'owner' : 'token', ...callersIn(context.req.header(CALLER_HEADER))];
}

/** Which files the caller may attach by their path; every caller may attach `shared`. */
export function filesFor(callers: readonly Caller[], shared: () => FileAccess): FileAccess {
  return mayCall(callers, 'any_file') ? ANY_FILE : shared();
}

type AnyHandler = (call: { context: Context; body: () => Promise<unknown> }) => unknown;

/** Wraps the handlers so that they refuse a call, or a body, that asks for more than its caller may. */
export function withNeeds(handlers: Handlers<GatewayRoutes>): Handlers<GatewayRoutes> {
  const wrapped = Object.entries(NEEDS).map(([id, needOf]) => {
    const handle = handlers[id as keyof typeof NEEDS] as AnyHandler;
    const refuse = ({ context }: { context: Context }, body: unknown): void => {
      const need = (needOf as (body: unknown) => Capability | undefined)(body);
      if (need) requireCapability(callersOf(context), need, id);
    };
    const asked: AnyHandler = (call) =>
      handle({
        ...call,
        body: async () => {
          const body = await call.body();
          refuse(call, body);
          return body;
        },
      });
    const withoutBody: AnyHandler = (call) => {
      refuse(call, undefined);
      return handle(call);
    };
    return [id, 'body' in GATEWAY_ROUTES[id as keyof typeof NEEDS] ? asked : withoutBody];
  });
  return { ...handlers, ...(Object.fromEntries(wrapped) as object) };
}
