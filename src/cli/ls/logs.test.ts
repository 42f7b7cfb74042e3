import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { cliAgent } from '../../../test/support/cli-agent.ts';
import { Ending } from '../../base/index.ts';
import { GrowingFile } from './growing-file.ts';
import { ofEvent, ofLog, printed } from './log-lines.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

describe('logs', () => {
  it('log lines are parsed with their facts, and printed in words', () => {
    const line = ofLog(
      `2026-04-16T09:14:02Z warn: mail notifier poll deferred detail="editing_input='yes'" n=3`,
    );
    expect(line).toMatchObject({
      at: '2026-04-16T09:14:02Z',
      level: 'warn',
      text: 'mail notifier poll deferred',
    });
    expect(printed(line)).toBe(
      '2026-04-16 09:14:02Z  warn: mail notifier poll deferred (detail: its composer holds a draft, n: 3)',
    );
    expect(printed(ofLog('something else'))).toMatch(/something else$/);
    expect(ofEvent('{"kind":"completed","request_id":"x"}')).toBeUndefined();
    expect(ofEvent('{torn')).toBeUndefined();
    expect(ofEvent('{"kind":"control_prompt_refused","at_utc":"t","error_code":"e"}')).toMatchObject({
      level: 'warn',
      text: 'control prompt refused',
    });
  });

  it('logs are followed until Ctrl-C, and there are none before the first gateway', async () => {
    const agent = await cliAgent(ending);
    expect((await agent.rouse(['logs', 'gpu'])).err).toMatch(/no gateway has run beside agent gpu yet/);
    await agent.attach();
    await vi.waitFor(async () => expect((await agent.rouse(['logs', 'gpu'])).out).toMatch(/gateway started/));
    const ctrlC = new AbortController();
    const said = agent.rouse(['logs', 'gpu', '-f'], {
      signal: ctrlC.signal,
      onOut: (text) => {
        if (text.includes('gateway started'))
          setImmediate(() =>
            fs.appendFileSync(
              path.join(agent.sessionRoot, 'gateway/logs/gateway.log'),
              '2026-04-16T09:14:02Z hello a=1\n',
            ),
          );
        if (text.includes('hello')) ctrlC.abort();
      },
    });
    expect((await said).out).toMatch(/hello \(a: 1\)/);
  });

  it('following a log continues after rotation, and never splits a line', () => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-grow-'));
    ending.add(() => fs.rmSync(directory, { recursive: true }));
    const file = path.join(directory, 'log');
    fs.writeFileSync(file, 'old\n');
    const growing = new GrowingFile(file);
    ending.add(() => growing.close());
    fs.appendFileSync(file, 'one\ntw');
    expect(growing.added()).toEqual(['one']);
    fs.appendFileSync(file, 'o\n');
    fs.renameSync(file, `${file}.1`);
    fs.writeFileSync(file, 'three\n');
    expect(growing.added()).toEqual(['two', 'three']);
  });
});
