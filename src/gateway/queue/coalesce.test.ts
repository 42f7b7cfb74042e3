import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planCoalescing } from './coalesce.ts';
import type { RequestRow } from './request.ts';

let next = 0;
function row(action: string, epoch = 1): RequestRow {
  const kind =
    action === 'interrupt' ? 'interrupt' : action === 'mail' ? 'mail_notifier_prompt' : 'submit_prompt';
  return {
    request_id: `r${++next}`,
    request_kind: kind,
    payload_json: JSON.stringify(kind === 'interrupt' ? {} : { prompt: action }),
    managed_agent_instance_epoch: epoch,
  } as RequestRow;
}
const kept = (rows: RequestRow[]): string[] | undefined => {
  const plan = planCoalescing(rows);
  return plan?.effectiveActions;
};

describe('coalescing of control intents', () => {
  it('coalescing keeps one of several interrupts', () => {
    expect(kept([row('interrupt'), row('interrupt'), row('interrupt')])).toEqual(['interrupt']);
  });

  it('coalescing keeps the strongest context command, and the later of equals', () => {
    expect(kept([row('/compact'), row('/new'), row('/clear')])).toEqual(['/new']);
    const [first, second] = [row('/clear'), row(' /clear ')];
    expect(planCoalescing([first, second])).toMatchObject({
      keep: [second.request_id],
      drop: [{ requestId: first.request_id, into: second.request_id, action: '/clear' }],
    });
  });

  it('coalescing lets the interrupt go before the context command', () => {
    expect(kept([row('/clear'), row('interrupt'), row('/compact')])).toEqual(['interrupt', '/clear']);
  });

  it('coalescing ends at an ordinary prompt, an internal one or another epoch', () => {
    for (const wall of [row('hello'), row('mail'), row('interrupt', 2)]) {
      expect(planCoalescing([row('interrupt'), wall, row('interrupt')])).toBeUndefined();
    }
  });

  it('coalescing never drops an ordinary prompt and keeps max one of each kind', () => {
    const actions = fc.constantFrom('interrupt', '/compact', '/clear', '/new', 'hello', 'mail');
    fc.assert(
      fc.property(fc.array(actions, { maxLength: 12 }), (actions) => {
        const rows = actions.map((action) => row(action));
        const plan = planCoalescing(rows);
        const dropped = new Set(plan?.drop.map((entry) => entry.requestId));
        for (const [i, action] of actions.entries()) {
          if (action === 'hello' || action === 'mail') expect(dropped.has(rows[i]!.request_id)).toBe(false);
        }
        expect((plan?.keep ?? []).length).toBeLessThanOrEqual(2);
      }),
    );
  });
});
