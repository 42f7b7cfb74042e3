import { describe, expect, it } from 'vitest';
import { GATEWAY_ROUTES, type Route } from '../wire/index.ts';
import { gatewayPath } from '../wire/places.ts';
import { fleetPath } from './question.ts';

const PREFIX = '/houmao/agents/gpu';
const routes = Object.values<Route>(GATEWAY_ROUTES)
  .map(({ path }) => path)
  .filter((path) => path.startsWith('/v1/'));

describe('fleetPath', () => {
  it.each(routes)('maps %s to a path of the server that gatewayPath maps back', (route) => {
    const path = route.replaceAll(/\{(\w+)\}/g, 'x%2Fy');
    const there = fleetPath('gpu')(path);
    expect(there.startsWith(`${PREFIX}/`)).toBe(true);
    expect(gatewayPath(there.slice(PREFIX.length))).toBe(path);
  });

  it.each([
    ['/v1/status', '/gateway'],
    ['/v1/control/tui/history', '/gateway/tui/history'],
    ['/v1/control/prompt', '/gateway/control/prompt'],
    ['/v1/mail/send', '/mail/send'],
    ['/v1/mail-notifier', '/gateway/mail-notifier'],
    ['/v1/reminders/r1', '/gateway/reminders/r1'],
  ])('maps %s to %s below the agent', (own, pair) => {
    expect(fleetPath('gpu')(own)).toBe(PREFIX + pair);
  });
});
