import type { Verdict } from './judge.ts';
import { type Kill, REQUIRED } from './stages.ts';

/** The number of kills at each stage, and with the disk full. */
export function killTable(kills: readonly Kill[]): string {
  const stages = [...new Set([...REQUIRED, ...kills.map(({ stage }) => stage)])];
  const rows = stages.map((stage) => {
    const there = kills.filter((kill) => kill.stage === stage);
    const servers = there.filter(({ victim }) => victim === 'server').length;
    return [stage, there.length, there.length - servers, servers, there.filter(({ full }) => full).length];
  });
  return table(['stage', 'kills', 'of gateways', 'of the server', 'disk full'], rows);
}

export function verdictTable(verdicts: ReadonlyMap<string, Verdict>): string {
  const columns = Object.keys([...verdicts.values()][0] ?? {}) as (keyof Verdict)[];
  const rows = [...verdicts].map(([kind, verdict]) => [kind, ...columns.map((column) => verdict[column])]);
  return table(['kind', ...columns], rows);
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const widths = head.map((title, at) =>
    Math.max(title.length, ...rows.map((row) => String(row[at]).length)),
  );
  const line = (cells: readonly (string | number)[]): string =>
    cells
      .map((cell, at) => (at === 0 ? String(cell).padEnd(widths[at]!) : String(cell).padStart(widths[at]!)))
      .join('  ');
  return [line(head), ...rows.map(line)].join('\n');
}
