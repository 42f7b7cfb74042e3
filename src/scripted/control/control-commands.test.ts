import { describe, expect, it } from 'vitest';
import { testAgent } from '../agent.testing.ts';
import { runControl, statusOf } from './control-commands.ts';

describe('control messages', () => {
  it.each([
    [{}, /unknown control message type undefined/],
    [{ type: 'swallow-entre' }, /unknown control message type "swallow-entre"/],
    [{ type: 'toString' }, /unknown control message type/],
    [{ type: 'swallow-enter', n: 1 }, /swallow-enter has no field "n"; allowed: count/],
    [{ type: 'swallow-enter', constructor: 1 }, /has no field "constructor"/],
    [{ type: 'swallow-enter', count: -1 }, /"count" must be a whole number from 0/],
    [{ type: 'slow-redraw' }, /slow-redraw needs the field "ms"/],
    [{ type: 'slow-redraw', ms: 1e12 }, /at most 24 h/],
    [{ type: 'slow-redraw', ms: '5' }, /"ms" must be whole milliseconds/],
    [{ type: 'skin', name: 'nope' }, /there is no skin "nope"/],
    [{ type: 'open-dialog', kind: 'nope' }, /"kind" must be one of permission, question, trust, menu/],
    [{ type: 'open-dialog', options: [] }, /one to nine texts/],
    [{ type: 'close-dialog' }, /no dialog is open/],
    [{ type: 'end-turn' }, /no turn is running/],
    [{ type: 'draft', text: 7 }, /"text" must be text/],
    [{ type: 'busy-input', mode: 'both' }, /one of queue, steer/],
    [{ type: 'crash-to-shell', dirty: 'yes' }, /true or false/],
  ])('the control message %j is refused and changes nothing', (message, error) => {
    const { agent } = testAgent();
    const before = statusOf(agent);
    expect(() => runControl(agent, message)).toThrow(error);
    expect(statusOf(agent)).toEqual(before);
  });

  it('control messages set faults, and clear them', () => {
    const { agent } = testAgent();
    const before = statusOf(agent);
    runControl(agent, { type: 'swallow-enter', count: 3 });
    runControl(agent, { type: 'burst', ms: 50, after: 'typing', as: 'newline' });
    expect(statusOf(agent)['faults']).toMatchObject({ swallowEnters: 3, burst: { ms: 50, as: 'newline' } });
    runControl(agent, { type: 'clear-faults' });
    expect(statusOf(agent)).toEqual(before);
  });

  it('control messages open and close a dialog with given words', () => {
    const { agent, types } = testAgent();
    runControl(agent, { type: 'open-dialog', kind: 'question', options: ['red', 'green'], title: 'Colour' });
    expect(agent.dialog).toMatchObject({
      title: 'Colour',
      options: [{ answer: 'red' }, { answer: 'green' }],
    });
    runControl(agent, { type: 'close-dialog', answer: 'green' });
    expect(types('dialog_answered')).toMatchObject([{ answer: 'green', by: 'control', keys: 0 }]);
  });

  it('a control message puts a draft into the composer as if a person had left it', () => {
    const { agent } = testAgent();
    runControl(agent, { type: 'draft', text: 'half' });
    expect(statusOf(agent)['draft']).toMatchObject({ text: 'half', how: 'scripted' });
  });
});
