import { expect, it } from 'vitest';
import { isBehindProxy, refuseUnnamedProxy } from './front.ts';

const LOOPBACK = { host: '127.0.0.1' };

it('a server on loopback with a public name does not start until its proxy is named', () => {
  const start = () => refuseUnnamedProxy({ ...LOOPBACK, publicUrl: 'https://fleet.example' });
  expect(start).toThrow('--public-url https://fleet.example on 127.0.0.1 means a proxy on this machine');
  expect(() => refuseUnnamedProxy({ ...LOOPBACK, hosts: ['fleet.example'] })).toThrow(
    '--allow-host fleet.example',
  );
});

it('the hint for an unnamed proxy has the loopback address of the family that the server listens on', () => {
  const hintOn = (host: string): unknown => {
    try {
      refuseUnnamedProxy({ host, publicUrl: 'https://fleet.example' });
    } catch (error) {
      return (error as { hint?: string }).hint;
    }
    return undefined;
  };
  expect(hintOn('127.0.0.1')).toContain('--trusted-proxy 127.0.0.1');
  expect(hintOn('::1')).toContain('--trusted-proxy ::1');
});

it.each([
  ['without a public name', LOOPBACK],
  ['with a named proxy', { ...LOOPBACK, publicUrl: 'https://fleet.example', trustedProxies: ['127.0.0.1'] }],
  ['that speaks TLS itself', { ...LOOPBACK, publicUrl: 'https://fleet.example', tls: {} }],
  ['that listens beyond loopback', { host: '192.0.2.7', hosts: ['fleet.example'] }],
])('a server %s starts without further flags for a proxy', (_, front) => {
  expect(() => refuseUnnamedProxy(front)).not.toThrow();
});

it('only a server on loopback with a named proxy takes no connection for its owner', () => {
  expect(isBehindProxy({ ...LOOPBACK, trustedProxies: ['127.0.0.1'] })).toBe(true);
  expect(isBehindProxy({ host: '::1', trustedProxies: ['::1'] })).toBe(true);
  expect(isBehindProxy(LOOPBACK)).toBe(false);
  expect(isBehindProxy({ host: '192.0.2.7', trustedProxies: ['192.0.2.8'] })).toBe(false);
});
