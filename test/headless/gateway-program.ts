import * as fs from 'node:fs';
import { armCrashPoint } from '../../src/base/index.ts';
import {
  type HeadlessManifest,
  type HeadlessProgress,
  openHeadlessSurface,
} from '../../src/terminal/headless/index.ts';

/** The job of a process that plays a gateway. */
export interface Order {
  manifest: HeadlessManifest;
  sessionRoot: string;
  laneLock: string;
  /** A ledger that survives: one JSON line per stage. */
  ledger: string;
  requestId: string;
  turnId?: string;
  text: string;
  crashAt?: string;
}

export interface Report {
  verdict: string;
  outcome: string | null;
  saved: HeadlessProgress | null;
}

/** Does what a gateway does: takes over, judges what a crash left by its evidence, and continues. */
async function main(order: Order): Promise<Report> {
  let saved: HeadlessProgress | null = null;
  const surface = openHeadlessSurface({
    ...order,
    saveHeadless: async (progress) => {
      saved = progress;
    },
  });
  await surface.start();
  armCrashPoint(order.crashAt);
  const stages = readStages(order.ledger);
  let verdict = 'fresh';
  if (stages.includes('submitted')) verdict = 'submitted';
  else if (stages.includes('typing')) {
    const { requestId, text } = order;
    verdict = (await surface.recover({ requestId, text, sinceUtc: new Date(0).toISOString() })).verdict;
  }
  let outcome: string | null = null;
  if (verdict === 'fresh' || verdict === 'not_submitted') {
    fs.writeFileSync(order.ledger, '');
    const result = await surface.deliver({
      requestId: order.requestId,
      ...(order.turnId !== undefined && { turnId: order.turnId }),
      text: order.text,
      policy: 'ready_only',
      record: async (stage) => fs.appendFileSync(order.ledger, `${JSON.stringify({ stage })}\n`),
    });
    outcome = result.outcome;
  }
  if (surface.observation().busy) await surface.changed.next(({ busy }) => !busy);
  await surface.close();
  return { verdict, outcome, saved };
}

function readStages(file: string): string[] {
  if (!fs.existsSync(file)) return [];
  const lines = fs.readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => (JSON.parse(line) as { stage: string }).stage);
}

const report = await main(JSON.parse(process.argv[2]!) as Order);
process.stdout.write(`${JSON.stringify(report)}\n`);
