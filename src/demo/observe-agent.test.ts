import { describe, expect, it } from 'vitest';
import type { GatewayClient } from '../client/index.ts';
import { AgentObserver } from './observe-agent.ts';

/** A gateway that lists only its newest: each look sees other wakes and other mail than the one before. */
function gatewayWith(now: { from: number }, down = () => false) {
  const recent = [0, 1, 2].map((n) => now.from + n);
  const answers: Record<string, unknown> = {
    'mail.status': { open_count: 2 },
    'notifier.decisions': {
      decisions: [
        {
          outcome: 'busy_skip',
          poll_time_utc: '2026-01-01T10:11:12Z',
          unread_count: 1,
          detail: "phase='active'",
        },
      ],
    },
  };
  const call = async (name: string): Promise<unknown> => {
    if (down()) throw new Error('gone');
    if (name === 'mail.list') return { messages: recent.map((n) => ({ message_ref: `m${now.from + n}` })) };
    if (name === 'requests.list') {
      const kinds = ['mail_notifier_prompt', 'submit_prompt'];
      return {
        requests: kinds.flatMap((request_kind) => [
          { request_kind, request_id: `${request_kind}-${now.from}`, outcome: 'submitted' },
          { request_kind, request_id: `${request_kind}-${now.from}-failed`, outcome: 'failed' },
        ]),
      };
    }
    return answers[name];
  };
  const status = async () => ({ managed_agent_connectivity: 'connected', active_execution: 'idle' });
  return { call, status, tuiState: async () => ({ turn: { phase: 'ready' } }) } as unknown as GatewayClient;
}

describe('the observer of the demo', () => {
  it('the demo counts each proven wake and each handled message once, also those a gateway no longer lists', async () => {
    const now = { from: 0 };
    let down = false;
    const observer = new AgentObserver({ name: 'ana', gateway: gatewayWith(now, () => down) }, (reason) => {
      expect(reason).toBe("phase='active'");
      return 'it is working on a turn';
    });
    expect(await observer.observe()).toEqual({
      name: 'ana',
      state: 'idle',
      openMail: 2,
      wakes: 1,
      handled: 3,
      sent: 3,
      why: '10:11:12 1 open message waits: it is working on a turn',
    });
    expect(await observer.observe()).toMatchObject({ wakes: 1, handled: 3 });
    now.from = 100;
    expect(await observer.observe()).toMatchObject({ wakes: 2, handled: 6 });
    down = true;
    expect(await observer.observe()).toEqual({
      name: 'ana',
      state: 'not reachable',
      openMail: 0,
      wakes: 2,
      handled: 6,
      sent: 6,
      why: '',
    });
  });
});
