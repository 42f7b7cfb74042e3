import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');

/** One error of the compiler. */
export interface CompilerError {
  file: string;
  line: number;
  code: string;
  text: string;
}

/** A copy of the shipped sources, to be changed and type-checked. */
export class SourceCopy {
  readonly directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-types-'));

  constructor() {
    const isShipped = (file: string): boolean => !/\.(test|contract)\.tsx?$|testing\.ts$/.test(file);
    fs.cpSync(path.join(root, 'src'), path.join(this.directory, 'src'), {
      recursive: true,
      filter: isShipped,
    });
    fs.symlinkSync(path.join(root, 'node_modules'), path.join(this.directory, 'node_modules'));
    fs.copyFileSync(path.join(root, 'package.json'), path.join(this.directory, 'package.json'));
    const { tsBuildInfoFile: _, incremental: __, ...compilerOptions } = optionsIn('tsconfig.json');
    this.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['src'], exclude: ['src/page'] }));
    const page = { extends: './tsconfig.json', compilerOptions: optionsIn('tsconfig.page.json') };
    this.write('tsconfig.page.json', JSON.stringify({ ...page, include: ['src/page'], exclude: [] }));
  }

  /** Every source, as `src/…`. */
  files(): string[] {
    const names = fs.readdirSync(path.join(this.directory, 'src'), { recursive: true, encoding: 'utf8' });
    return names.filter((name) => /\.tsx?$/.test(name)).map((name) => path.join('src', name));
  }

  read(file: string): string {
    return fs.readFileSync(path.join(this.directory, file), 'utf8');
  }

  write(file: string, text: string): void {
    fs.writeFileSync(path.join(this.directory, file), text);
  }

  /** Adds a row behind the line that begins the table. */
  addRow(file: string, table: string, row: string): void {
    const begins = `export const ${table} = {\n`;
    const parts = this.read(file).split(begins);
    if (parts.length !== 2) throw new Error(`${file} has no table ${table}`);
    this.write(file, parts.join(`${begins}  ${row},\n`));
  }

  remove(file: string): void {
    fs.rmSync(path.join(this.directory, file), { recursive: true });
  }

  async compile(config: 'tsconfig.json' | 'tsconfig.page.json' = 'tsconfig.json'): Promise<CompilerError[]> {
    const printed = await new Promise<string>((resolve) => {
      const tsc = path.join(root, 'node_modules/.bin/tsc');
      // One checker costs the least, and other tests need the cores.
      const words = ['--noEmit', '--checkers', '1', '--pretty', 'false', '-p', config];
      execFile(tsc, words, { cwd: this.directory, maxBuffer: 1e8 }, (_, out) => resolve(out));
    });
    return [...printed.matchAll(/^(src\/[^(]+)\((\d+),\d+\): error (TS\d+): (.*)/gm)].map(
      ([, file, line, code, text]) => ({ file: file!, line: Number(line), code: code!, text: text! }),
    );
  }

  close(): void {
    fs.rmSync(this.directory, { recursive: true, force: true });
  }
}

function optionsIn(config: string): Record<string, unknown> {
  return JSON.parse(fs.readFileSync(path.join(root, config), 'utf8')).compilerOptions;
}
