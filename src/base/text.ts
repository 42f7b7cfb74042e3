import { invalid } from './errors.ts';

/** Text that SQLite would cut and PostgreSQL would refuse never gets past the border. */
export function refuseNul(text: string, field: string): string {
  if (text.includes('\u0000')) throw invalid(`${field} contains U+0000, which no store here can keep`);
  return text;
}

/** Refuses a value that could not stand on one line of a header. */
export function requireOneLine(text: string, field: string): string {
  if (/[\u0000-\u001f\u007f\u0085\u2028\u2029]/.test(text)) {
    throw invalid(`${field} must be one line without control characters`);
  }
  return text;
}

/** White space folded to single spaces, cut to `max` characters with `...` at the end. */
export function preview(text: string, max: number): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  const points = [...flat];
  return points.length <= max ? flat : `${points.slice(0, max - 3).join('')}...`;
}

/** The candidates nearest to what was typed, best first; empty when nothing is close. */
export function nearest(typed: string, candidates: Iterable<string>, most = 3): string[] {
  const limit = Math.max(2, Math.floor(typed.length / 3));
  return [...candidates]
    .map((candidate) => ({ candidate, distance: editDistance(typed.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= limit || candidate.startsWith(typed))
    .sort((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate))
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

/** Insertions, deletions, replacements and swapped neighbours, each counting one. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          rows[i - 1]![j - 1]! + same,
          rows[i - 1]![j]! + 1,
          row[j - 1]! + 1,
          swapped ? rows[i - 2]![j - 2]! + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
