import * as fs from 'node:fs';
import * as http from 'node:http';
import * as os from 'node:os';
import * as path from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Emitter } from '../../src/base/index.ts';
import { FleetClient } from '../../src/client/index.ts';
import { startFleet, type TestFleet } from '../support/fleet.ts';

const FILES = path.join(import.meta.dirname, 'tls');
const authority = (name: string): string => path.join(FILES, `${name}-ca.pem`);

describe('a server with TLS', () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-tls-'));
  const [certFile, keyFile] = [path.join(home, 'fleet.pem'), path.join(home, 'fleet.key')];
  const renewed = new Emitter<string | undefined>();
  let fleet: TestFleet;
  let secure: string;

  /** Like a renewal: the key first, readable by its owner only. */
  function take(name: string): void {
    fs.writeFileSync(keyFile, fs.readFileSync(path.join(FILES, `${name}.key`)), { mode: 0o600 });
    fs.copyFileSync(path.join(FILES, `${name}.pem`), certFile);
  }

  const as = (caFile: string | undefined, url = secure): FleetClient =>
    new FleetClient({ url, token: fleet.tokens.user, caFile });

  beforeAll(async () => {
    take('first');
    const tls = { certFile, keyFile, renewed: (problem: string | undefined) => renewed.emit(problem) };
    fleet = await startFleet({ config: { tls } });
    secure = fleet.url.replace('http:', 'https:');
  });
  afterAll(async () => {
    await fleet.stop();
    fs.rmSync(home, { recursive: true, force: true });
  });

  it('a server with TLS is trusted by its authority, and only by clients that know it', async () => {
    expect((await as(authority('first')).call('ready', {})).status).toBe('ready');
    await expect(as(undefined).call('ready', {})).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('cannot be trusted'),
      hint: expect.stringContaining('ROUSE_FLEET_CA'),
    });
    await expect(as(authority('second')).call('ready', {})).rejects.toMatchObject({ code: 'unavailable' });
    expect(() => as(path.join(FILES, 'nowhere.pem'))).toThrow('does not exist');
    expect(() => as(keyFile)).toThrow('contains no certificate');
  });

  it('a server with TLS holds beats and follows events over it, and answers programs of its machine also without', async () => {
    const agent = await fleet.agent('ana');
    const client = new FleetClient({ url: secure, token: agent.token, caFile: authority('first') });
    const beat = await client.heartbeat({
      session_id: 'session-of-ana',
      active_tasks: 0,
      wait_seconds: 0.2,
    });
    expect(beat.workspace_status).toBe('online');
    expect((await as(undefined, fleet.url).call('ready', {})).status).toBe('ready');
  });

  it('a server with TLS names itself with https to callers that use it, and refuses pages of other origins', async () => {
    const { workspaceId } = await fleet.agent('ben');
    const card = await as(authority('first')).call('a2a.card', { workspace_id: workspaceId });
    expect(JSON.stringify(card)).toContain(`${secure}/a2a/`);
  });

  it('a server with TLS takes a renewed certificate without a restart, and keeps the one it has when that is no good', async () => {
    const port = Number(new URL(secure).port);
    const presented = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
          resolve(String(socket.getPeerCertificate().subject.CN));
          socket.destroy();
        }).on('error', reject);
      });
    expect(await presented()).toBe('rouse-test-first');
    const good = renewed.next((problem) => problem === undefined);
    take('second');
    await good;
    expect(await presented()).toBe('rouse-test-second');
    const bad = renewed.next((problem) => problem !== undefined);
    fs.writeFileSync(certFile, 'half a certifi');
    expect(await bad).toContain('not a certificate and its key');
    expect(await presented()).toBe('rouse-test-second');
  });

  it('a server with TLS does not start without its key, or with one that strangers can read', async () => {
    const open = path.join(home, 'open.key');
    fs.copyFileSync(path.join(FILES, 'first.key'), open);
    fs.chmodSync(open, 0o644);
    const cert = path.join(FILES, 'first.pem');
    const start = (tls: { certFile: string; keyFile: string }) => startFleet({ config: { tls } });
    await expect(start({ certFile: cert, keyFile: open })).rejects.toThrow('can be read by others');
    await expect(start({ certFile: cert, keyFile: path.join(home, 'none') })).rejects.toThrow('--tls-key');
    fs.copyFileSync(path.join(FILES, 'second.key'), path.join(home, 'other.key'));
    fs.chmodSync(path.join(home, 'other.key'), 0o600);
    await expect(start({ certFile: cert, keyFile: path.join(home, 'other.key') })).rejects.toThrow(
      'are not a certificate and its key',
    );
  });
});

describe('a proxy in front', () => {
  it('a proxy that was not named is a caller like any other: its forwarded headers change nothing', async () => {
    const fleet = await startFleet();
    try {
      const forged = { 'x-forwarded-host': 'fleet.example', 'x-forwarded-proto': 'https' };
      expect(await get(fleet, { ...forged, origin: 'https://fleet.example' })).toBe(403);
      expect(await get(fleet, { host: 'fleet.example' })).toBe(403);
    } finally {
      await fleet.stop();
    }
  });

  function get(fleet: TestFleet, headers: Record<string, string>): Promise<number> {
    const { port } = new URL(fleet.url);
    return new Promise((resolve, reject) => {
      http
        .get({ host: '127.0.0.1', port, path: '/ready', headers }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        })
        .on('error', reject);
    });
  }
});
