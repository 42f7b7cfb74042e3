import * as fs from 'node:fs';
import * as path from 'node:path';
import { root } from './source-copy.ts';

export const DOMAIN = 'src/domain';
const WORDS = `${DOMAIN}/words`;

/** A table or a list of codes. */
export interface ClosedSet {
  name: string;
  codes: readonly string[];
  /** A table: its rows have properties. */
  isTable: boolean;
}

async function setsIn(files: readonly string[]): Promise<ClosedSet[]> {
  const modules: Record<string, unknown>[] = await Promise.all(
    files.map((file) => import(path.join(root, file))),
  );
  return modules.flatMap((each) =>
    Object.entries(each).flatMap(([name, value]) => {
      if (!/^[A-Z][A-Z0-9_]+$/.test(name) || typeof value !== 'object' || value === null) return [];
      const isTable = !Array.isArray(value);
      const codes: unknown[] = isTable ? Object.keys(value) : value;
      return codes.length > 1 && codes.every((code) => typeof code === 'string')
        ? [{ name, codes: codes as string[], isTable }]
        : [];
    }),
  );
}

const filesBelow = (directory: string): string[] =>
  (fs.readdirSync(path.join(root, directory), { recursive: true, encoding: 'utf8' }) as string[])
    .filter((name) => name.endsWith('.ts') && !name.includes('.test.'))
    .map((name) => path.join(directory, name));

/** The sets that src/domain/words exports. */
export const wordSets = (): Promise<ClosedSet[]> =>
  setsIn(filesBelow(WORDS).filter((file) => !file.endsWith('/table.ts')));

/** The sets that src/domain exports, including lists of plain names. */
export const domainSets = (): Promise<ClosedSet[]> => setsIn(filesBelow(DOMAIN));
