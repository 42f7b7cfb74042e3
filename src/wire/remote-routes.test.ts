import { describe, expect, it } from 'vitest';
import { remoteRoute } from './remote-routes.ts';

describe('a remote call', () => {
  it.each([
    ['GET', '/v1/status', 'status'],
    ['DELETE', '/v1/reminders/r-1', 'reminders.delete'],
    ['GET', '/v1/requests/a%2Fb', 'requests.get'],
  ])('%s %s is the route %s', (method, path, id) => {
    expect(remoteRoute(method, path)).toBe(id);
  });

  it.each([
    ['PUT', '/v1/reminders/..\\mail-notifier'],
    ['DELETE', '/v1/reminders/x\\..\\..\\mail-notifier'],
    ['DELETE', '/v1/reminders/.\t.\\mail-notifier'],
    ['GET', '/v1/requests/%2e%2e\\events'],
    ['GET', '/v1/requests/..'],
    ['POST', '/v1/requests/x#/cancel'],
    ['GET', '/v1/requests/x\n'],
    ['GET', '/v1/requests/x?y'],
  ])('%s %j is no route, because a URL would change the path', (method, path) => {
    expect(remoteRoute(method, path)).toBeUndefined();
  });
});
