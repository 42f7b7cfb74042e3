import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../support/bundle.ts';
import { drawSeed } from '../support/draw-seed.ts';
import { proofReport } from '../support/proof-report.ts';
import { FULL, sampled } from '../support/sample.ts';
import type { Tried } from './every-write.ts';
import type { Order } from './writer.ts';

/**
 * One process writes mail, and each of its writes is refused once for each reason. It responds and never ends, acknowledged
 * mail exists once, nothing is shown half, and a refused act can be repeated at once.
 */
const ERRNOS = ['ENOSPC', 'EMFILE', 'EROFS', 'EIO'];
const FAULTS = path.resolve(import.meta.dirname, '../support/faults.mjs');
const NODE_MODULES = path.resolve(import.meta.dirname, '../../node_modules');

let directory: string;
let built: string;
beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-faults-'));
  built = fs.mkdtempSync(path.join(NODE_MODULES, '.faults-'));
});
afterAll(() => {
  for (const each of [directory, built]) fs.rmSync(each, { recursive: true, force: true });
});

/** Everything a writer reported, and how it ended. */
async function tell(
  name: string,
): Promise<{ tried: Tried[]; closed: boolean; code: number; errors: string }> {
  const program = path.join(built, `${name}.mjs`);
  await bundle(path.join(import.meta.dirname, `${name}.ts`), program, { packages: 'external' });
  const control = path.join(directory, `${name}.faults`);
  fs.writeFileSync(control, '');
  fs.writeFileSync(`${control}.hits`, '');
  const place = path.join(directory, name);
  fs.mkdirSync(place);
  const errnos = sampled(`${import.meta.filename} ${name}`, ERRNOS, 2);
  const order: Order = {
    directory: place,
    faults: FAULTS,
    errnos,
    oneOf: FULL ? undefined : 5,
    seed: drawSeed(),
  };
  const child: ChildProcess = spawn(process.execPath, ['--import', FAULTS, program, JSON.stringify(order)], {
    env: { ...process.env, FAULTS_FILE: control, HOME: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: (Tried | 'closed')[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => lines.push(JSON.parse(line)));
  const errors = text(child.stderr!);
  const [code] = (await once(child, 'close')) as [number];
  const tried = lines.filter((each) => each !== 'closed');
  return { tried, closed: lines.length > tried.length, code, errors: await errors };
}

describe.each([
  ['the mail store', 'mail-acts'],
  ['the flat file', 'flat-file-acts'],
])('%s', (what, name) => {
  it('mail with each write refused in turn is done once or refused with a reason, and then done at once', async () => {
    const { tried, closed, code, errors } = await tell(name);
    const hits = tried.filter(({ at }) => at !== null);
    const refusals = hits.flatMap(({ said, ...rest }) => (said === 'done' ? [] : [{ ...rest, said }]));
    const lost = tried.filter((each) => (each.said === 'done' ? each.then : each.finally) === 0);
    const doubled = tried.filter((each) => Math.max(each.then, each.finally) > 1);
    expect({
      unclear: refusals.filter(({ said }) => !isClear(said)).map(inWords),
      untrue: refusals.filter(({ said, then }) => then === 1 && saysNothing(said)).map(inWords),
      lost: lost.map(inWords),
      doubled: doubled.map(inWords),
      ended: { code, errors, closed },
    }).toEqual({
      unclear: [],
      untrue: [],
      lost: [],
      doubled: [],
      ended: { code: 0, errors: '', closed: true },
    });
    const acts = new Set(tried.map(({ act }) => act)).size;
    proofReport(
      `${what}: ${hits.length} writes refused (${acts} acts, ${new Set(hits.map(({ errno }) => errno)).size} errnos), ${refusals.length} of them reported; lost ${lost.length}, doubled ${doubled.length}, ended ${code}`,
    );
  });
});

/** The error has the code of a refusal by the machine, names the thing and says what to do. */
function isClear({ code, message, hint }: Exclude<Tried['said'], 'done'>): boolean {
  return ['unavailable', 'forbidden'].includes(code) && message.length > 20 && hint !== null;
}

const saysNothing = ({ message }: Exclude<Tried['said'], 'done'>): boolean =>
  /(?<!^archived in .*)(unchanged|nothing)/.test(message);

const inWords = ({ act, nth, at, said, then, finally: last }: Tried): string =>
  `${act} ${nth}, ${at}: ${said === 'done' ? said : `${said.code}: ${said.message} (${said.hint})`}; ${then}, then ${last}`;
