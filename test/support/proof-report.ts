import { appendFileSync } from 'node:fs';

/** The results of a proof: `npm run test:<name>` prints them last; `test:all` and single runs print them as they arrive. */
export function proofReport(...lines: string[]): void {
  const text = lines.map((line) => `${line}\n`).join('');
  const file = process.env['ROUSE_PROOF_REPORT'];
  if (file) appendFileSync(file, text);
  else if (process.env['ROUSE_PROOF'] === 'full') process.stdout.write(text);
}

/** Counters in words: `3 submitted, 1 waiting`. */
export function inWords(counters: Record<string, number>): string {
  return Object.entries(counters)
    .map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`)
    .join(', ');
}
