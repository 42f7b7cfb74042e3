import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RouseError } from '../../base/index.ts';
import type { ManifestFacts } from '../../session/index.ts';
import { resolveRef } from './resolve-ref.ts';
import type { TrackedAgent } from './tracked-agent.ts';

interface Named {
  session: string;
  tmux: string;
  name: string;
  id: string;
  terminal?: string;
}

function agent({ session, tmux, name, id, terminal }: Named): TrackedAgent {
  const facts = {
    sessionId: session,
    tmuxSessionName: tmux,
    agentName: name,
    agentId: id,
    document: { interactive: { terminal_id: terminal ?? null } },
  } as unknown as ManifestFacts;
  return { trackedId: session, owner: 'server', facts };
}

const GPU = agent({
  session: 'rest-1',
  tmux: 'HOUMAO-gpu-17',
  name: 'gpu',
  id: 'aa11',
  terminal: '0a1b2c3d',
});
const CPU = agent({ session: 'rest-2', tmux: 'HOUMAO-cpu-18', name: 'cpu', id: 'bb22' });
const TWIN = agent({ session: 'rest-3', tmux: 'HOUMAO-gpu-19', name: 'gpu', id: 'cc33' });
/** Has the session name of another agent. */
const POSER = agent({ session: 'rest-4', tmux: 'S-poser', name: 'HOUMAO-cpu-18', id: 'dd44' });

const resolve = (ref: string, agents: TrackedAgent[]): string | number => {
  try {
    return resolveRef(ref, agents).trackedId;
  } catch (error) {
    return (error as RouseError).code === 'not_found' ? 404 : 409;
  }
};

describe('a reference to an agent', () => {
  it.each([
    ['tracked id', 'rest-1', 'rest-1'],
    ['session name', 'HOUMAO-gpu-17', 'rest-1'],
    ['terminal alias', '0a1b2c3d', 'rest-1'],
    ['agent name', 'gpu', 'rest-1'],
    ['canonical agent name', 'HOUMAO-gpu', 'rest-1'],
    ['agent id', 'aa11', 'rest-1'],
    ['part of a name', 'gp', 404],
    ['name in other letters', 'GPU', 404],
    ['nothing', '', 404],
    ['null as text', 'null', 404],
    ['a path', '../gpu', 404],
    ['white space around it', ' gpu ', 404],
  ])('a reference by %s is resolved', (_, ref, found) => {
    expect(resolve(ref, [GPU, CPU])).toBe(found);
  });

  it.each([
    ['two agents of one name', 'gpu', [GPU, TWIN]],
    ['a name that is the session of another', 'HOUMAO-cpu-18', [CPU, POSER]],
  ])('a reference that matches %s is refused with the candidates', (_, ref, agents) => {
    expect(resolve(ref, agents)).toBe(409);
    expect(() => resolveRef(ref, agents)).toThrowError(
      expect.objectContaining({
        facts: expect.objectContaining({ agent_ids: agents.map(({ facts }) => facts.agentId).sort() }),
      }),
    );
  });

  it('an unknown reference suggests a similar name', () => {
    expect(() => resolveRef('gpx', [GPU, CPU])).toThrowError(
      expect.objectContaining({ hint: 'did you mean "gpu"?' }),
    );
  });

  it('a reference never resolves to an agent without that name', () => {
    const names = fc.constantFrom('a', 'b', 'c', 'HOUMAO-a', 'HOUMAO-b', 'x-1', 'x-2');
    const some = fc.record({ session: names, tmux: names, name: names, id: names });
    fc.assert(
      fc.property(fc.array(some, { maxLength: 4 }), names, (all, ref) => {
        const agents = all.map(agent);
        const found = resolve(ref, agents);
        const bare = (text: string): string => text.replace(/^HOUMAO-/, '');
        const fits = all.filter(
          (each) => [each.session, each.tmux, each.id].includes(ref) || bare(each.name) === bare(ref),
        );
        expect(found).toBe(fits.length === 0 ? 404 : fits.length > 1 ? 409 : fits[0]!.session);
      }),
    );
  });
});
