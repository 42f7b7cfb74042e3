import type { PageLanes } from '../../wire/index.ts';
import { lengthInWords } from '../model/clock.ts';
import { Plain } from '../parts/plain-text.tsx';
import { spansOf, timeIn, totalOf } from './lane-words.ts';

/** There is no room for it on a phone. */
const NARROW = 'max-sm:hidden';

const COLUMNS = [
  ['Worked', 'working', ''],
  ['Waited', 'waiting', NARROW],
  ['Needed you', 'needs_you', ''],
  ['Idle', 'idle', NARROW],
  ['Gone', 'gone', NARROW],
] as const;

/** The same as a table, for those who do not see the lanes, and for copying. */
export function LaneTable({ data, endMs }: { data: PageLanes; endMs: number }) {
  return (
    <details className="border-t border-line px-4 py-2">
      <summary className="text-muted">The same as a table</summary>
      <section aria-label="Times of each agent by state">
        <table className="digits mt-2 w-full text-right text-xs [overflow-wrap:normal]">
          <thead className="text-muted">
            <tr>
              <th scope="col" className="text-left">
                Agent
              </th>
              {COLUMNS.map(([title, , look]) => (
                <th key={title} scope="col" className={look}>
                  {title}
                </th>
              ))}
              <th scope="col">Wakes</th>
              <th scope="col">Mails</th>
              <th scope="col" className={NARROW}>
                Requests
              </th>
            </tr>
          </thead>
          <tbody>
            {data.agents.map((lane) => {
              const times = timeIn(spansOf(lane, data, endMs));
              return (
                <tr key={lane.id} className="border-t border-line">
                  <th scope="row" className="text-left font-medium [overflow-wrap:anywhere]">
                    <Plain text={lane.name} />
                  </th>
                  {COLUMNS.map(([title, state, look]) => (
                    <td key={title} className={look}>
                      {times.has(state) ? lengthInWords(times.get(state)!) : ''}
                    </td>
                  ))}
                  <td>{totalOf(lane.wakes) || ''}</td>
                  <td>{totalOf(lane.mail) || ''}</td>
                  <td className={NARROW}>{totalOf(lane.requests) || ''}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
    </details>
  );
}
