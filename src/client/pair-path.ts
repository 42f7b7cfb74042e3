import { segment } from './gateway-client.ts';

/**
 * Where the fleet server serves a gateway's `/v1` path for one agent. Mail stands beside `gateway/`, not below
 * it; `/v1/status` is the gateway itself; the screen has left `control/`.
 */
export function pairPath(agentRef: string): (path: string) => string {
  const agent = `/houmao/agents/${segment(agentRef, 'agent ref')}`;
  return (path) => {
    if (path.startsWith('/v1/mail/')) return agent + path.slice('/v1'.length);
    if (path === '/v1/status') return `${agent}/gateway`;
    return `${agent}/gateway${path.replace(/^\/v1\/control\/tui\//, '/tui/').replace(/^\/v1/, '')}`;
  };
}

/** The way back: the gateway's own path for what stands behind `/houmao/agents/{ref}`, `/gateway…` or `/mail/…`. */
export function gatewayPath(rest: string): string {
  if (rest === '/gateway') return '/v1/status';
  if (rest.startsWith('/mail/')) return `/v1${rest}`;
  return `/v1${rest.slice('/gateway'.length).replace(/^\/tui\//, '/control/tui/')}`;
}
