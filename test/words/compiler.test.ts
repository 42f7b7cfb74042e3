import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MADE_UP_ROWS, type Patch, patched } from './made-up-rows.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** A copy of the shipped sources, type-checked as they are after patches. */
class Copy {
  readonly directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-types-'));

  constructor() {
    const isShipped = (file: string): boolean => !/\.(test|contract)\.tsx?$|testing\.ts$/.test(file);
    fs.cpSync(path.join(root, 'src'), path.join(this.directory, 'src'), {
      recursive: true,
      filter: isShipped,
    });
    fs.symlinkSync(path.join(root, 'node_modules'), path.join(this.directory, 'node_modules'));
    fs.copyFileSync(path.join(root, 'package.json'), path.join(this.directory, 'package.json'));
    const config = JSON.parse(fs.readFileSync(path.join(root, 'tsconfig.json'), 'utf8'));
    const { tsBuildInfoFile: _, incremental: __, ...compilerOptions } = config.compilerOptions;
    fs.writeFileSync(
      path.join(this.directory, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['src'], exclude: ['src/page'] }),
    );
  }

  /** The files the compiler names, each once. */
  async errors(patches: readonly Patch[]): Promise<string[]> {
    for (const { file } of patches) {
      const text = patched(path.join(root, file), patches)!;
      fs.writeFileSync(path.join(this.directory, file), text);
    }
    const said = await new Promise<string>((resolve) => {
      const tsc = path.join(root, 'node_modules/.bin/tsc');
      execFile(tsc, ['--noEmit', '--pretty', 'false'], { cwd: this.directory, maxBuffer: 1e8 }, (_, out) =>
        resolve(out),
      );
    });
    for (const { file } of patches) fs.copyFileSync(path.join(root, file), path.join(this.directory, file));
    return [...new Set([...said.matchAll(/^(src\/[^(]+)\(/gm)].map(([, file]) => file!))].sort();
  }
}

describe('the compiler', () => {
  let copy: Copy;
  beforeAll(() => {
    copy = new Copy();
  });
  afterAll(() => fs.rmSync(copy.directory, { recursive: true, force: true }));

  it('asks for nothing more where a made-up row says everything', async () => {
    expect(await copy.errors(MADE_UP_ROWS)).toEqual([]);
  });

  it('names every place that must decide about a made-up code, and a row that does not say everything', async () => {
    const words = 'src/domain/words';
    const patches: Patch[] = [
      {
        file: `${words}/delivery-outcomes.ts`,
        before: '} as const satisfies Record<string, DeliveryRow>;',
        lines: `  made_up: { meaning: 'made up', ends: 'failed', later: false },`,
      },
      {
        file: `${words}/ticket-statuses.ts`,
        before: '} as const satisfies Record<string, StatusRow>;',
        lines: `  on_hold: { words: 'on hold', open: true },`,
      },
      {
        file: `${words}/wake-policies.ts`,
        before: "} as const satisfies Record<string, { words: string; reads: 'any' | 'unread' }>;",
        lines: `  starred: { words: 'until it has no star', reads: 'any' },`,
      },
    ];
    expect(await copy.errors(patches)).toEqual([
      'src/domain/words/ticket-statuses.ts',
      'src/fleet/agents/turns/turn-rules.ts',
      'src/gateway/notifier/wake-prompt.ts',
    ]);
  });
});
