import * as fs from 'node:fs';
import * as http from 'node:http';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Ending } from '../base/index.ts';
import { openSqlite } from '../db/index.ts';
import { gatewayStatus, sourceView } from '../wire/index.ts';
import { QUEUE_FILE_MIGRATIONS } from './queue-file.ts';
import { testGateway } from './testing.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

const prompt = (text: string, more: object = {}) => ({
  kind: 'submit_prompt',
  payload: { prompt: text },
  ...more,
});

describe('a gateway', () => {
  it('a gateway reports at /health the instance that its files name', async () => {
    const { call, root, gateway } = await testGateway(ending);
    const health = await call('GET', '/health');
    expect(health.body).toMatchObject({
      protocol_version: 'v1',
      status: 'ok',
      instance_id: gateway.instanceId,
    });
    const instance = JSON.parse(
      fs.readFileSync(path.join(root, 'gateway/run/current-instance.json'), 'utf8'),
    );
    expect(instance).toMatchObject({ pid: process.pid, port: gateway.port });
    const beside = path.join(root, 'gateway/run/current-instance.rouse.json');
    expect(JSON.parse(fs.readFileSync(beside, 'utf8'))).toMatchObject({
      pid: process.pid,
      port: gateway.port,
      instance_id: gateway.instanceId,
    });
    const status = await call('GET', '/v1/status');
    expect(gatewayStatus.parse(status.body)).toMatchObject({
      gateway_health: 'healthy',
      request_admission: 'open',
    });
  });

  it('the files of a gateway name the same agent process as its status, also after it changed', async () => {
    const { call, root, surface } = await testGateway(ending, {
      prepare: (starting) => starting.show({ instanceId: null }),
    });
    const named = (): unknown => {
      const file = path.join(root, 'gateway/run/current-instance.json');
      const instance = JSON.parse(fs.readFileSync(file, 'utf8'));
      return [instance.managed_agent_instance_epoch, instance.managed_agent_instance_id];
    };
    expect(named()).toEqual([1, null]);
    surface.show({ instanceId: 'first' });
    expect(named()).toEqual([1, 'first']);
    surface.show({ instanceId: 'second' });
    expect(named()).toEqual([2, 'second']);
    expect((await call('GET', '/v1/status')).body).toMatchObject({
      managed_agent_instance_epoch: 2,
      managed_agent_instance_id: 'second',
    });
  });

  it('each reminder of a batch shows its own creation time, in the order of delivery', async () => {
    const { call } = await testGateway(ending);
    const one = { mode: 'one_off', prompt: 'p', ranking: 0, start_after_seconds: 3600 };
    const reminders = ['a', 'b', 'c', 'd'].map((title) => ({ ...one, title }));
    await call('POST', '/v1/reminders', { reminders });
    const listed = (await call('GET', '/v1/reminders')).body.reminders;
    const order = listed.map(({ title }: { title: string }) => title);
    expect(order).toEqual(['a', 'b', 'c', 'd']);
    const stamps = listed.map(({ created_at_utc }: { created_at_utc: string }) => created_at_utc);
    expect(new Set(stamps).size).toBe(4);
    expect(stamps.toSorted()).toEqual(stamps);
  });

  it('a headless agent accepts a prompt now only while the gateway itself is free', async () => {
    const chat_session = { current: null, startup_default: { mode: 'new' }, next_prompt_override: null };
    const state = {
      can_accept_prompt_now: true,
      active_turn_id: null,
      runtime_resumable: true,
      chat_session,
    };
    const { call, surface } = await testGateway(ending, {
      prepare: (starting) =>
        Object.assign(starting, { headless: { state: () => state, setNextPromptSession: () => {} } }),
    });
    const accepts = async () => {
      const { body } = await call('GET', '/v1/control/headless/state');
      return [body.active_execution, body.queue_depth, body.can_accept_prompt_now];
    };
    expect(await accepts()).toEqual(['idle', 0, true]);
    let release = (): void => {};
    surface.hold = new Promise((resolve) => {
      release = resolve;
    });
    await call('POST', '/v1/requests', prompt('takes a while'));
    await expect.poll(async () => (await accepts())[0]).toBe('running');
    expect((await accepts())[2]).toBe(false);
    release();
    await expect.poll(accepts).toEqual(['idle', 0, true]);
  });

  it('a gateway serves metrics in the format of Prometheus', async () => {
    const { call, gateway } = await testGateway(ending);
    const { body } = await call('POST', '/v1/requests', prompt('count me'));
    await call('GET', `/v1/requests/${body.request_id}?wait=true`);
    const answer = await fetch(`http://127.0.0.1:${gateway.port}/metrics`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    const lines = (await answer.text()).split('\n');
    expect(lines).toContain('rouse_gateway_request_stages_total{stage="accepted"} 1');
    expect(lines).toContain('rouse_gateway_requests_finished_total{outcome="submitted"} 1');
    expect(lines).toContain('rouse_gateway_queue_depth 0');
    expect(lines).toContain('rouse_gateway_admission_open 1');
    for (const line of lines)
      expect(line).toMatch(/^(# HELP \w+ .+|# TYPE \w+ (counter|gauge|histogram)|\w+(\{.+\})? [\d.]+|)$/);
    const named = (what: string) =>
      lines.filter((line) => line.startsWith(`# ${what} `)).map((l) => l.split(' ')[2]);
    expect(named('HELP')).toEqual(named('TYPE'));
  });

  it('a second gateway on the same session does not start and leaves the first alone', async () => {
    const first = await testGateway(ending);
    await expect(testGateway(ending, { root: first.root })).rejects.toMatchObject({
      code: 'conflict',
      facts: { cause: 'locked' },
    });
    expect((await first.call('GET', '/health')).status).toBe(200);
  });

  it('a gateway fails on a busy port with a machine-readable cause, and takes no other port', async () => {
    const taken = http.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    ending.add(() => taken.close());
    const { port } = taken.address() as { port: number };
    await expect(testGateway(ending, { config: { port } })).rejects.toMatchObject({
      code: 'conflict',
      facts: { cause: 'port_in_use', port },
    });
  });

  it('state.json is written only when something changed, and in its offline form when the gateway stops', async () => {
    const { call, root, gateway, surface } = await testGateway(ending);
    const file = path.join(root, 'gateway/state.json');
    const writtenAt = (): bigint => fs.statSync(file, { bigint: true }).mtimeNs;
    const written = (): unknown =>
      fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined;
    // The file has only the contract's fields, because other programs read it.
    const { body } = await call('GET', '/v1/status');
    expect(body.standing).toBeDefined();
    await expect.poll(written).toEqual(sourceView(gatewayStatus)(body));
    const before = writtenAt();
    for (let i = 0; i < 20; i++) await call('GET', '/v1/status');
    surface.show({ observedAtUtc: '2026-01-01T00:00:09.000Z' });
    expect(writtenAt()).toBe(before);
    surface.show({ connectivity: 'unavailable', unavailableReason: 'tool gone' });
    await expect
      .poll(() => JSON.parse(fs.readFileSync(file, 'utf8')).request_admission)
      .toBe('blocked_unavailable');
    await gateway.stop('test');
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toMatchObject({
      gateway_health: 'not_attached',
      gateway_port: null,
    });
    expect(fs.existsSync(path.join(root, 'gateway/run/current-instance.json'))).toBe(false);
  });

  it('a gateway stops by itself when the tmux session is gone', async () => {
    const { surface, gateway } = await testGateway(ending);
    surface.show({ sessionLost: true, connectivity: 'unavailable' });
    await gateway.stopped;
  });

  it('every file of a gateway is readable only by its owner', async () => {
    const { root, call } = await testGateway(ending);
    await call('POST', '/v1/requests', prompt('hello'));
    for (const entry of fs.readdirSync(path.join(root, 'gateway'), {
      recursive: true,
      withFileTypes: true,
    })) {
      const file = path.join(entry.parentPath, entry.name);
      expect(fs.statSync(file).mode & 0o077, file).toBe(0);
    }
  });
});

describe('the status of a gateway', () => {
  it('the status names the source of the running turn', async () => {
    const on = await testGateway(ending);
    const held = async (start: () => Promise<unknown>): Promise<unknown> => {
      let release: () => void = () => {};
      on.surface.hold = new Promise((resolve) => {
        release = resolve;
      });
      await start();
      const running = async () => (await on.call('GET', '/v1/status')).body;
      await expect.poll(async () => (await running()).active_execution).toBe('running');
      const { active_source } = gatewayStatus.parse(await running());
      release();
      await expect.poll(async () => (await running()).active_execution).toBe('idle');
      expect(await running()).not.toHaveProperty('active_source');
      return active_source;
    };
    expect(await held(() => on.call('POST', '/v1/requests', prompt('queued')))).toBe('queue');
    const direct = async () => void on.call('POST', '/v1/control/prompt', { prompt: 'now' });
    expect(await held(direct)).toBe('direct_prompt');
    const reminder = {
      title: 'r',
      mode: 'one_off',
      prompt: 'remember',
      ranking: 0,
      start_after_seconds: 0.01,
    };
    expect(await held(() => on.call('POST', '/v1/reminders', { reminders: [reminder] }))).toBe('reminder');
    const mail = async () => {
      await on.call('PUT', '/v1/mail-notifier', { interval_seconds: 3600 });
      const peer = on.mail.mailbox('peer@test');
      await peer.send({ to: ['agent@test'], subject: 'hello', body_content: 'do it' });
    };
    expect(await held(mail)).toBe('mail_notifier');
  });

  it('the status names a failing loop, the reason and the time, until it has recovered', async () => {
    const { call, root } = await testGateway(ending);
    const db = openSqlite({ file: `${root}/gateway/queue.sqlite`, migrations: QUEUE_FILE_MIGRATIONS });
    ending.add(() => db.close());
    db.run(
      `CREATE TRIGGER sick BEFORE UPDATE ON gateway_requests BEGIN SELECT RAISE(ABORT, 'disk trouble'); END`,
    );
    const { request_id } = (await call('POST', '/v1/requests', prompt('x'))).body;
    const status = async () => gatewayStatus.parse((await call('GET', '/v1/status')).body);
    await expect
      .poll(async () => (await status()).troubles)
      .toMatchObject([{ loop: 'dispatch', message: expect.stringContaining('disk trouble') }]);
    expect((await call('GET', '/health')).body).toMatchObject({
      status: 'degraded',
      failing_loops: ['dispatch'],
    });
    db.run('DROP TRIGGER sick');
    expect((await call('GET', `/v1/requests/${request_id}?wait`)).body.outcome).toBe('submitted');
    await expect.poll(async () => (await status()).troubles).toBeUndefined();
  });
});

describe('the door', () => {
  it.each([
    ['another Host', { host: 'evil.example' }, 403],
    ['another Origin', { origin: 'https://evil.example' }, 403],
    ['a page on the same machine', { origin: 'http://localhost:3000' }, 403],
    ['a cross-site fetch', { 'sec-fetch-site': 'cross-site' }, 403],
  ])('refuses %s', async (_name, headers, status) => {
    const { gateway } = await testGateway(ending);
    const answer = await raw(gateway.port, { method: 'GET', path: '/v1/status', headers });
    expect(answer.status).toBe(status);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  it.each([
    ['no content type', { body: '{}', headers: {} }, 415],
    ['a form', { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
    ['text that is not JSON', { body: '{', headers: { 'content-type': 'application/json' } }, 422],
    [
      'an unknown field',
      { body: '{"kind":"interrupt","payload":{},"x":1}', headers: { 'content-type': 'application/json' } },
      422,
    ],
    [
      'a blank prompt',
      {
        body: '{"kind":"submit_prompt","payload":{"prompt":" "}}',
        headers: { 'content-type': 'application/json' },
      },
      422,
    ],
    [
      'a body that is too large',
      { body: 'x'.repeat(5 * 1024 * 1024), headers: { 'content-type': 'application/json' } },
      413,
    ],
  ])('refuses %s and changes nothing', async (_name, { body, headers }, status) => {
    const { gateway, call } = await testGateway(ending);
    const answer = await raw(gateway.port, { method: 'POST', path: '/v1/requests', headers, body });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text).detail).toBeTruthy();
    expect((await call('GET', '/v1/requests')).body.requests).toEqual([]);
  });

  it('a gateway returns 404 for an unknown path and 405 with the methods for a wrong method', async () => {
    const { call } = await testGateway(ending);
    expect((await call('GET', '/v1/nothing')).status).toBe(404);
    expect((await call('DELETE', '/v1/status')).status).toBe(405);
  });

  it('a gateway demands the token of every request when it listens beyond loopback', async () => {
    const token = 'a-token-of-some-length';
    const { call } = await testGateway(ending, { config: { host: '0.0.0.0', token } });
    expect((await call('GET', '/health')).status).toBe(401);
    expect((await call('GET', '/health', undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await call('GET', '/health', undefined, { authorization: `Bearer ${token}` })).status).toBe(200);
  });
});

interface RawRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

function raw(
  port: number,
  { body, ...options }: RawRequest,
): Promise<{ status: number; headers: http.IncomingHttpHeaders; text: string }> {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}
