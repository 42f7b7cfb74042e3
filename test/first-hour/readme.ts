import * as fs from 'node:fs';
import * as path from 'node:path';

const README = path.resolve(import.meta.dirname, '../../README.md');

/** The command lines of one section, as a person would copy them: its `sh` blocks, without comments. */
export function readmeLines(section: string): string[] {
  const text = fs.readFileSync(README, 'utf8');
  const from = text.indexOf(`\n## ${section}\n`);
  if (from < 0) throw new Error(`the README has no section "${section}"`);
  const to = text.indexOf('\n## ', from + 1);
  const blocks = [...text.slice(from, to < 0 ? undefined : to).matchAll(/^```sh\n([\s\S]*?)^```/gm)];
  const lines = blocks.flatMap(([, block]) => block!.split('\n'));
  return lines.map((line) => line.replace(/(^|\s+)# .*$/, '')).filter((line) => line.trim() !== '');
}
