import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ConnectionPlaces } from './connection-places.ts';

/** Makes connections by name and lists those that were closed. */
function world(max: number) {
  const places = new ConnectionPlaces(max);
  const closed: string[] = [];
  const come = (name: string) => {
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress: 'host',
      remotePort: name,
      destroyed: false,
      destroy: () => {
        socket.destroyed = true;
        closed.push(name);
        socket.emit('close');
      },
    });
    places.take(socket as unknown as Socket);
    const incoming = { socket } as unknown as IncomingMessage;
    const answer = new EventEmitter();
    return {
      ask: (party?: string) => {
        places.asks(incoming, answer as never);
        if (party) places.belongs(incoming, party);
      },
      rest: () => answer.emit('close'),
    };
  };
  return { come, closed };
}

describe('the places of a server', () => {
  it('places of a server are taken from the party with the most connections when all are busy, its oldest first', () => {
    const { come, closed } = world(8);
    come('b1').ask('small');
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7']) come(name).ask('large');
    come('c1').ask('third');
    come('c2').ask('third');
    expect(closed).toEqual(['a1', 'a2']);
  });

  it('places of a server are taken from idle connections before busy ones, and new connections have time to send a request', () => {
    const { come, closed } = world(16);
    for (let n = 0; n < 12; n++) come(`a${n}`).ask('large');
    const rests = Array.from({ length: 4 }, (_, n) => come(`r${n}`));
    for (const each of rests) each.ask('large');
    for (const each of rests) each.rest();
    const first = come('new1');
    come('new2');
    expect(closed).toEqual(['r0', 'r1']);
    first.ask('small');
    expect(closed).toEqual(['r0', 'r1']);
  });

  it('places of a server are taken from connections that never send a request, once there are more than newcomers need', () => {
    const { come, closed } = world(16);
    come('resting').ask();
    for (let n = 0; n < 40; n++) come(`s${n}`);
    expect(closed).toHaveLength(25);
    expect(closed).not.toContain('resting');
    expect(closed[0]).toBe('s0');
  });
});
