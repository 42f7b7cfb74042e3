import * as fs from 'node:fs';
import { ask, asOtherAccount, asProgram, isRoot } from './call.ts';
import { targets } from './routes.ts';
import type { Stage } from './stage.ts';
import type { Tries } from './tries.ts';

const FAULTS = ['ENOSPC', 'EMFILE', 'EROFS', 'EIO'] as const;

const STATUSES = `require('stream/consumers').text(process.stdin).then(async (input) => { const said = [];
  for (const { port, method, path, body, headers } of JSON.parse(input)) {
    const response = await fetch('http://127.0.0.1:' + port + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    said.push(response.status); await response.body?.cancel(); }
  console.log(JSON.stringify(said)); });`;

/**
 * While every write of the gateway fails, each request is accepted and done once, or refused and never done. Strangers are still
 * refused, and the process lives.
 */
export async function underFaults(
  stage: Stage,
  tries: Tries,
  kind: string,
  faults: readonly string[] = FAULTS,
): Promise<void> {
  const { gatewayPort: port, agent } = stage;
  const strangers = targets(stage.ports, stage.to).filter(
    ({ server, changes }) => server === 'gateway' && changes,
  );
  for (const fault of faults) {
    fs.writeFileSync(stage.faults, fault);
    const taken: string[] = [];
    const refused: string[] = [];
    for (let n = 0; n < 10; n++) {
      const prompt = `${fault} ${n}`;
      const body = { kind: 'submit_prompt', payload: { prompt } };
      const { status } = await ask(asProgram({ port, method: 'POST', path: '/v1/requests', body }));
      tries.add(kind, ![200, 503].includes(status) && `${fault}: a prompt: ${status}`);
      (status === 200 ? taken : refused).push(prompt);
    }
    for (const each of strangers) {
      const { status } = await ask({
        ...asProgram(each),
        headers: { host: 'evil.example', 'content-type': 'application/json' },
      });
      tries.add(kind, status !== 403 && `${fault}: ${each.id} of a web page: ${status}`);
    }
    if (isRoot) {
      const statuses = await asOtherAccount<number[]>(
        STATUSES,
        strangers.map((each) => asProgram(each)),
      );
      for (const [n, status] of statuses.entries())
        tries.add(kind, status !== 403 && `${fault}: ${strangers[n]!.id} of another account: ${status}`);
    }
    fs.writeFileSync(stage.faults, '');
    await stage.received(taken);
    for (const prompt of [...taken, ...refused]) {
      const times = agent.received().filter((each) => each === prompt).length;
      if (times !== (taken.includes(prompt) ? 1 : 0))
        tries.found(kind, `"${prompt}" was typed ${times} times`);
    }
    if (!stage.isWhole) return tries.found(kind, `${fault}: a server is gone`);
  }
}
