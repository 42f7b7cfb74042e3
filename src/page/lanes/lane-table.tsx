import type { PageLanes } from '../../wire/index.ts';
import { lengthInWords } from '../model/clock.ts';
import { Plain } from '../parts/plain-text.tsx';
import { spansOf, timeIn, totalOf } from './lane-words.ts';

const COLUMNS = [
  ['Worked', 'working'],
  ['Waited', 'waiting'],
  ['Needed you', 'needs_you'],
  ['Idle', 'idle'],
  ['Gone', 'gone'],
] as const;

/** The same as a table, for those who do not see the lanes, and for copying. */
export function LaneTable({ data, endMs }: { data: PageLanes; endMs: number }) {
  return (
    <details className="border-t border-line px-4 py-2">
      <summary className="text-muted">The same as a table</summary>
      <section className="overflow-x-auto" tabIndex={-1} aria-label="Times of each agent by state">
        <table className="digits mt-2 w-full min-w-[40rem] text-right text-xs">
          <thead className="text-muted">
            <tr>
              <th scope="col" className="text-left">
                Agent
              </th>
              {COLUMNS.map(([title]) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
              <th scope="col">Wakes</th>
              <th scope="col">Mails</th>
              <th scope="col">Requests</th>
            </tr>
          </thead>
          <tbody>
            {data.agents.map((lane) => {
              const times = timeIn(spansOf(lane, data, endMs));
              return (
                <tr key={lane.id} className="border-t border-line">
                  <th scope="row" className="text-left font-medium">
                    <Plain text={lane.name} />
                  </th>
                  {COLUMNS.map(([title, state]) => (
                    <td key={title}>{times.has(state) ? lengthInWords(times.get(state)!) : ''}</td>
                  ))}
                  <td>{totalOf(lane.wakes) || ''}</td>
                  <td>{totalOf(lane.mail) || ''}</td>
                  <td>{totalOf(lane.requests) || ''}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
    </details>
  );
}
