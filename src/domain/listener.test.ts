import fc from 'fast-check';
import { expect, it } from 'vitest';
import { connectHost } from '../base/index.ts';
import { LISTENER_HOSTS, type ListenerSources, resolveListener } from './listener.ts';

const HOST = 'HOUMAO_AGENT_GATEWAY_HOST';
const PORT = 'HOUMAO_AGENT_GATEWAY_PORT';
const STATE = 'HOUMAO_GATEWAY_STATE_PATH';
const everything = {
  override: { host: '0.0.0.0', port: 1001 },
  env: { [HOST]: '127.0.0.1', [PORT]: '1002' },
  desired: { host: '0.0.0.0', port: 1003 },
  bootstrap: { host: '127.0.0.1', port: 1004 },
};

it.each<[string, ListenerSources, object]>([
  ['flags of the action come first', everything, ['0.0.0.0', 'override', 1001, 'override', true]],
  [
    'then the caller environment',
    { ...everything, override: {} },
    ['127.0.0.1', 'environment', 1002, 'environment', true],
  ],
  [
    'then the stored desired config',
    { ...everything, override: {}, env: {} },
    ['0.0.0.0', 'desired_config', 1003, 'desired_config', true],
  ],
  [
    'then the bootstrap defaults',
    { bootstrap: everything.bootstrap },
    ['127.0.0.1', 'bootstrap', 1004, 'bootstrap', true],
  ],
  ['then loopback and a port from the system', {}, ['127.0.0.1', 'default', 0, 'default', false]],
  [
    'host and port are resolved apart from each other',
    { override: { port: 1001 }, env: { [HOST]: '0.0.0.0' }, desired: { host: '127.0.0.1', port: 1003 } },
    ['0.0.0.0', 'environment', 1001, 'override', true],
  ],
  [
    'null in a file is no value',
    { desired: { host: null, port: null }, bootstrap: { host: null, port: 1004 } },
    ['127.0.0.1', 'default', 1004, 'bootstrap', true],
  ],
  [
    'a blank variable is no value',
    { env: { [HOST]: ' ', [PORT]: '' }, desired: { port: 1003 } },
    ['127.0.0.1', 'default', 1003, 'desired_config', true],
  ],
  [
    'a remembered port the system gave out is tried but not insisted on',
    { desired: { port: 1003, portOrigin: 'auto' } },
    ['127.0.0.1', 'default', 1003, 'desired_config', false],
  ],
  [
    'a remembered port that was requested explicitly is required',
    { desired: { port: 1003, portOrigin: 'explicit' } },
    ['127.0.0.1', 'default', 1003, 'desired_config', true],
  ],
  [
    'an override beats a remembered automatic port and is insisted on',
    { override: { port: 1001 }, desired: { port: 1003, portOrigin: 'auto' } },
    ['127.0.0.1', 'default', 1001, 'override', true],
  ],
  [
    'an explicit 0 asks the system for a new port',
    { override: { port: 0 }, desired: { port: 1003 } },
    ['127.0.0.1', 'default', 0, 'override', false],
  ],
  [
    'a binding inherited from a live session is a memory, not a wish',
    {
      env: { [HOST]: '127.0.0.1', [PORT]: '1002', [STATE]: '/s/gateway/state.json' },
      statePath: '/s/gateway/state.json',
    },
    ['127.0.0.1', 'environment', 1002, 'environment', false],
  ],
  [
    'what the last attach stored knows better than a shell that inherited an older binding',
    {
      env: { [HOST]: '0.0.0.0', [PORT]: '1002', [STATE]: '/s/gateway/state.json' },
      statePath: '/s/gateway/state.json',
      desired: { host: '127.0.0.1', port: 1003, portOrigin: 'explicit' },
    },
    ['127.0.0.1', 'desired_config', 1003, 'desired_config', true],
  ],
  [
    'the binding of another session decides neither host nor port of this one',
    {
      env: { [HOST]: '0.0.0.0', [PORT]: '1002', [STATE]: '/other/gateway/state.json' },
      statePath: '/s/gateway/state.json',
      desired: { host: '127.0.0.1', port: 1003, portOrigin: 'explicit' },
    },
    ['127.0.0.1', 'desired_config', 1003, 'desired_config', true],
  ],
  [
    'nor where nothing is stored',
    {
      env: { [HOST]: '0.0.0.0', [PORT]: 'nonsense', [STATE]: '/other/gateway/state.json' },
      statePath: '/s/gateway/state.json',
    },
    ['127.0.0.1', 'default', 0, 'default', false],
  ],
])('%s', (_title, sources, expected) => {
  const { host, hostOrigin, port, portOrigin, portIsHard } = resolveListener(sources);
  expect([host, hostOrigin, port, portOrigin, portIsHard]).toEqual(expected);
});

it.each<[ListenerSources, RegExp]>([
  [
    { override: { host: 'localhost' } },
    /^--gateway-host is "localhost", but must be one of 127\.0\.0\.1, 0\.0\.0\.0/,
  ],
  [{ override: { host: '' } }, /^--gateway-host is ""/],
  [{ env: { [HOST]: '::1' } }, /^HOUMAO_AGENT_GATEWAY_HOST is "::1"/],
  [{ desired: { host: '10.0.0.1' } }, /^desired_host in desired-config\.json/],
  [{ bootstrap: { host: '*' } }, /^desired_host in attach\.json/],
  [
    { env: { [PORT]: 'http' } },
    /^HOUMAO_AGENT_GATEWAY_PORT is "http", but must be an integer from 1 to 65535/,
  ],
  [{ env: { [PORT]: '80.5' } }, /^HOUMAO_AGENT_GATEWAY_PORT is "80\.5"/],
  [{ env: { [PORT]: '0x50' } }, /^HOUMAO_AGENT_GATEWAY_PORT/],
  [{ env: { [PORT]: '-1' } }, /^HOUMAO_AGENT_GATEWAY_PORT/],
  [{ env: { [PORT]: '1e3' } }, /^HOUMAO_AGENT_GATEWAY_PORT/],
  [{ env: { [PORT]: '65536' } }, /^HOUMAO_AGENT_GATEWAY_PORT is 65536/],
  [{ env: { [PORT]: '99999999999999999999' } }, /^HOUMAO_AGENT_GATEWAY_PORT/],
  [{ override: { port: 65_536 } }, /^--gateway-port is 65536/],
  [{ override: { port: -1 } }, /^--gateway-port is -1/],
  [{ override: { port: 1.5 } }, /^--gateway-port is 1\.5/],
  [{ override: { port: Number.NaN } }, /^--gateway-port is NaN/],
])('%j is refused, naming the source', (sources, message) => {
  expect(() => resolveListener(sources)).toThrow(message);
});

it('the first source with a value always wins, whatever the others say', () => {
  const host = fc.option(fc.constantFrom(...LISTENER_HOSTS), { nil: undefined });
  const port = fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined });
  const pair = fc.record({ host, port });
  fc.assert(
    fc.property(pair, pair, pair, pair, (override, env, desired, bootstrap) => {
      const variables: Record<string, string> = {};
      if (env.host) variables[HOST] = env.host;
      if (env.port) variables[PORT] = String(env.port);
      const got = resolveListener({ override, env: variables, desired, bootstrap });
      expect(got.host).toBe(override.host ?? env.host ?? desired.host ?? bootstrap.host ?? '127.0.0.1');
      expect(got.port).toBe(override.port ?? env.port ?? desired.port ?? bootstrap.port ?? 0);
      expect(got.portIsHard).toBe(got.port !== 0);
    }),
  );
});

it('clients connect to loopback even when the gateway is bound to every address', () => {
  expect(LISTENER_HOSTS.map(connectHost)).toEqual(['127.0.0.1', '127.0.0.1']);
});
