import { appendFileSync } from 'node:fs';

/** What a proof has to say for itself: `npm run test:<name>` prints it last; `test:all` and single runs as it comes. */
export function proofReport(...lines: string[]): void {
  const text = lines.map((line) => `${line}\n`).join('');
  const file = process.env['ROUSE_PROOF_REPORT'];
  if (file) appendFileSync(file, text);
  else if (process.env['ROUSE_PROOF'] === 'full') process.stdout.write(text);
}

/** `3 submitted, 1 waiting`: counters in words. */
export function inWords(counters: Record<string, number>): string {
  return Object.entries(counters)
    .map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`)
    .join(', ');
}
