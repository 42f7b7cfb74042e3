import type { PageAgent } from '../../wire/index.ts';
import { CommandLine } from '../parts/command-line.tsx';
import { Plain } from '../parts/plain-text.tsx';

export function AgentFacts({ agent: { facts, notifier, commands } }: { agent: PageAgent }) {
  const rows = [...facts, { label: 'Wakes', value: notifier.summary }];
  return (
    <div className="space-y-4 p-4">
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1">
        {rows.map(({ label, value }) => (
          <div key={label} className="contents">
            <dt className="text-muted">
              <Plain text={label} />
            </dt>
            <dd className="min-w-0">
              <Plain text={value} />
            </dd>
          </div>
        ))}
        {notifier.held_back && (
          <div className="contents">
            <dt className="text-muted">Held back</dt>
            <dd>
              <Plain text={notifier.held_back} />
            </dd>
          </div>
        )}
      </dl>
      <section>
        <h3 className="heading mb-1.5">On the command line</h3>
        <div className="space-y-1">
          {commands.map(({ label, command }) => (
            <CommandLine key={label} label={label} command={command} />
          ))}
        </div>
      </section>
    </div>
  );
}
