import * as fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, ServedWorld } from '../fleet/served-world.ts';

let world: ServedWorld;
let agent: Json;
beforeAll(async () => {
  world = await new ServedWorld().open();
  agent = await world.launchServed('gpu', { mailbox: {} });
});
afterAll(async () => {
  await world.shut();
});

const at = (rest = ''): string => `/agents/gpu${rest}`;
const manifest = (): Json => JSON.parse(fs.readFileSync(agent['manifest_path'], 'utf8')) as Json;

describe('a terminal that the server launches and owns', () => {
  it('a terminal that the server launches and owns has a manifest that names the server and its reference there', () => {
    expect(agent).toMatchObject({ backend: 'houmao_server_rest', transport: 'tui', owner: 'server' });
    expect(manifest()['gateway_authority'].attach).toMatchObject({
      api_base_url: world.url,
      managed_agent_ref: agent['tmux_session_name'],
    });
    expect(world.windows(agent['tmux_session_name'])).toEqual(['0 agent']);
  });

  it('a terminal that the server launches and owns is listed and found by every kind of reference', async () => {
    const { agents } = await world.get('GET', '/agents');
    expect(agents.map((each: Json) => [each['agent_name'], each['session'], each['gateway']])).toEqual([
      ['gpu', 'running', 'not_attached'],
    ]);
    const refs = ['tracked_agent_id', 'session_name', 'terminal_id', 'agent_id', 'agent_name'];
    for (const ref of [...refs.map((key) => agent[key]), 'HOUMAO-gpu'])
      expect((await world.get('GET', `/agents/${ref}`))['tracked_agent_id']).toBe(agent['tracked_agent_id']);
  });

  it('a terminal that the server launches and owns shows an offline status and state before anything is attached', async () => {
    expect((await world.get('GET', at('/gateway')))['gateway_health']).toBe('not_attached');
    expect(await world.get('GET', at('/state'))).toMatchObject({
      availability: 'available',
      observed_by: null,
      turn: { phase: 'unknown' },
    });
    const refused = await world.ask('GET', at('/gateway/tui/state'));
    expect([refused.status, refused.body['error'].facts.cause]).toEqual([503, 'no_live_gateway']);
  });

  it('a terminal that the server launches and owns takes a prompt through its lane without a gateway', async () => {
    const said = await world.get('POST', at('/requests'), { request_kind: 'submit_prompt', prompt: 'first' });
    expect(said).toMatchObject({ disposition: 'accepted', taken_by: 'terminal' });
    await world.until(() => world.received(agent['session_root']).includes('first'));
  });

  it('a terminal that the server launches and owns gets its gateway in a window beside it, and the same answer when asked again', async () => {
    const status = await world.get('POST', at('/gateway/attach'));
    expect(status).toMatchObject({
      gateway_health: 'healthy',
      backend: 'houmao_server_rest',
      execution_mode: 'tmux_auxiliary_window',
    });
    expect(world.windows(agent['tmux_session_name'])).toHaveLength(2);
    const again = await world.get('POST', at('/gateway/attach'), {});
    expect(again['gateway_port']).toBe(status['gateway_port']);
    expect(again['restarted']).toEqual([]);
    expect((await world.get('GET', at('/gateway')))['gateway_health']).toBe('healthy');
    const timed = { tui_tracking_timings: { stale_active_recovery_seconds: 10 } };
    expect(await world.get('POST', at('/gateway/attach'), timed)).toMatchObject({
      gateway_port: status['gateway_port'],
      restarted: [{ setting: 'stale_active_recovery_seconds', from: 5, to: 10 }],
    });
  });

  it('a terminal that the server launches and owns is driven through the server: prompt, queue, keys, screen', async () => {
    await world.until(
      async () => (await world.get('GET', at('/gateway/tui/state')))['surface'].ready_posture === 'yes',
    );
    const sent = await world.until(async () => {
      const said = await world.ask('POST', at('/gateway/control/prompt'), { prompt: 'second' });
      return said.status === 200 && said.body;
    });
    expect(sent).toMatchObject({ status: 'ok', action: 'submit_prompt', sent: true });
    const { request_id } = await world.get('POST', at('/gateway/requests'), {
      kind: 'submit_prompt',
      payload: { prompt: 'third' },
    });
    const ended = await world.get('GET', at(`/gateway/requests/${request_id}?wait`));
    expect(ended['outcome']).toBe('submitted');
    const queued = await world.get('POST', at('/requests'), {
      request_kind: 'submit_prompt',
      prompt: 'fourth',
    });
    expect(queued['taken_by']).toBe('gateway');
    await world.get('GET', at(`/gateway/requests/${queued['request_id']}?wait`));
    expect(world.received(agent['session_root'])).toEqual(['first', 'second', 'third', 'fourth']);
    expect(
      await world.get('POST', at('/gateway/control/send-keys'), { sequence: '<[Escape]>' }),
    ).toMatchObject({
      action: 'control_input',
    });
    expect((await world.get('GET', at('/gateway/tui/history?limit=2')))['entries'].length).toBeLessThan(3);
    expect((await world.get('GET', at('/history?limit=1')))['entries']).toHaveLength(1);
    expect((await world.get('GET', at('/state/detail')))['detail'].terminal_id).toBe(agent['terminal_id']);
  });

  it('a terminal that the server launches and owns follows the ledger of its gateway as it is written', async () => {
    const stop = new AbortController();
    const stream = await fetch(`${world.url}/houmao${at('/gateway/events?after=0')}`, {
      signal: stop.signal,
    });
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    const reader = stream.body!.getReader();
    const first = new TextDecoder().decode((await reader.read()).value);
    expect(first).toContain('event: accepted');
    stop.abort();
  });

  it('a terminal that the server launches and owns keeps reminders through the server, but none that would press keys', async () => {
    const one = { mode: 'one_off', title: 't', ranking: 0, paused: false, start_after_seconds: 3600 };
    const made = await world.get('POST', at('/gateway/reminders'), {
      reminders: [{ ...one, prompt: 'later' }],
    });
    const id = made['effective_reminder_id'] as string;
    expect((await world.get('GET', at(`/gateway/reminders/${id}`)))['prompt']).toBe('later');
    const put = await world.get('PUT', at(`/gateway/reminders/${id}`), { ...one, prompt: 'much later' });
    expect(put['prompt']).toBe('much later');
    const keys = { ...one, send_keys: { sequence: '<[Enter]>', ensure_enter: false } };
    expect((await world.ask('POST', at('/gateway/reminders'), { reminders: [keys] })).status).toBe(422);
    expect((await world.ask('PUT', at(`/gateway/reminders/${id}`), keys)).status).toBe(422);
    expect((await world.get('DELETE', at(`/gateway/reminders/${id}`)))['deleted']).toBe(true);
    expect((await world.get('GET', at('/gateway/reminders')))['reminders']).toEqual([]);
  });

  it('a terminal that the server launches and owns has its wakes and its mail through the server', async () => {
    const on = await world.get('PUT', at('/gateway/mail-notifier'), { interval_seconds: 600 });
    expect(on['enabled']).toBe(true);
    expect((await world.get('DELETE', at('/gateway/mail-notifier')))['enabled']).toBe(false);
    const { address } = await world.get('GET', at('/mail/status'));
    await world.get('POST', at('/mail/send'), { to: [address], subject: 'hello', body_content: 'x' });
    const { messages } = await world.get('POST', at('/mail/list'), {});
    expect(messages.map((message: Json) => message['subject'])).toEqual(['hello']);
    const live = await world.get('GET', at('/mail/resolve-live'));
    expect(live).toMatchObject({
      gateway_available: true,
      managed_agent: { mode: 'server', tracked_agent_id: agent['tracked_agent_id'] },
    });
  });

  it('a terminal that the server launches and owns is known again after the server was restarted', async () => {
    await world.restart();
    expect((await world.get('GET', at('/gateway')))['gateway_health']).toBe('healthy');
    expect((await world.get('GET', at('')))['owner']).toBe('server');
  });

  it('a terminal that the server launches and owns leaves nothing that others can read', () => {
    expect(world.readableByOthers()).toEqual([]);
  });

  it('a terminal that the server launches and owns is detached and stopped by the server, and then unknown there', async () => {
    expect((await world.get('POST', at('/gateway/detach')))['gateway_health']).toBe('not_attached');
    expect(world.windows(agent['tmux_session_name'])).toEqual(['0 agent']);
    expect(await world.get('POST', at('/stop'))).toMatchObject({ action: 'terminate', was_running: true });
    expect((await world.ask('GET', at())).status).toBe(404);
    expect((await world.get('GET', '/agents'))['agents']).toEqual([]);
  });
});
