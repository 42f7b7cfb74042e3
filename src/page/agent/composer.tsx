import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { type FormEvent, useState } from 'react';
import type { PageAgent, PageMailSent, PageReceipt } from '../../wire/index.ts';
import { useMay } from '../frame/session-context.ts';
import { agentAt } from '../live/queries.ts';
import { type Action, useAction } from '../parts/action.ts';
import { CommandLine } from '../parts/command-line.tsx';
import { Trouble } from '../parts/feedback.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { SendButton } from '../parts/send-button.tsx';
import { Following } from './stages.tsx';

type Way = 'mail' | 'prompt' | 'interrupt';

const WAYS: readonly { way: Way; label: string; button: string }[] = [
  { way: 'mail', label: 'Mail', button: 'Send mail' },
  { way: 'prompt', label: 'Prompt when ready', button: 'Queue the prompt' },
  { way: 'interrupt', label: 'Interrupt', button: 'Interrupt its turn' },
];

type Receipt = PageReceipt | PageMailSent;

interface Words {
  subject: string;
  text: string;
}
const NO_WORDS: Words = { subject: '', text: '' };

/** Writes to an agent in one of three ways. Shows beforehand what will happen, and afterwards what did. */
export function Composer({ name, agent }: { name: string; agent: PageAgent }) {
  const [way, setWay] = useState<Way>('mail');
  const [words, setWords] = useState(NO_WORDS);
  const action = useAction<Receipt>();
  const mayOperate = useMay('operate');
  const mayWrite = useMay('write');
  const allowed = { mail: mayWrite, prompt: mayOperate, interrupt: mayOperate };
  const can = agent.may[way];
  const isEmpty =
    way !== 'interrupt' && (words.text.trim() === '' || (way === 'mail' && words.subject.trim() === ''));
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (!can || isEmpty) return;
    if (await post(action, way, { name, agent, ...words })) setWords(NO_WORDS);
  };
  const ways = WAYS.filter((each) => allowed[each.way]);
  if (ways.length === 0)
    return (
      <p className="card px-4 py-3 text-xs text-muted">
        View only: ask for an "operate" link to write to it.
      </p>
    );
  return (
    <form
      onSubmit={(event) => void send(event)}
      className="card space-y-2 p-3"
      aria-label={`Write to ${name}`}
    >
      <Ways ways={ways} way={way} set={setWay} />
      <Fields way={way} words={words} set={setWords} />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-0 flex-1 basis-48 text-xs text-muted" id="what-will-happen">
          <Plain text={agent.what_will_happen[way]} />
        </p>
        <SendButton
          sending={action.sending}
          label={WAYS.find((each) => each.way === way)?.button}
          isOff={!can || isEmpty}
          className="btn btn-main"
          describedBy="what-will-happen"
        />
      </div>
      <Outcome name={name} action={action} />
    </form>
  );
}

function post(
  action: Action<Receipt>,
  way: Way,
  { name, agent, subject, text }: { name: string; agent: PageAgent } & Words,
): Promise<Receipt | undefined> {
  if (way === 'mail')
    return action.run('mail/send', { to: [agent.row.address ?? name], subject: subject.trim(), body: text });
  if (way === 'prompt') return action.run(`${agentAt(name)}/prompt`, { prompt: text });
  return action.run(`${agentAt(name)}/interrupt`);
}

function Fields({ way, words, set }: { way: Way; words: Words; set: (words: Words) => void }) {
  if (way === 'interrupt') return null;
  return (
    <>
      {way === 'mail' && (
        <input
          data-key="r"
          className="field"
          value={words.subject}
          onChange={({ target }) => set({ ...words, subject: target.value })}
          placeholder="Subject"
          aria-label="Subject"
          maxLength={900}
        />
      )}
      <textarea
        data-key="r"
        className="field min-h-16 resize-y"
        rows={2}
        value={words.text}
        onChange={({ target }) => set({ ...words, text: target.value })}
        placeholder={way === 'mail' ? 'Message' : 'Prompt'}
        aria-label={way === 'mail' ? 'Message' : 'Prompt'}
      />
    </>
  );
}

interface WaysProps {
  ways: typeof WAYS;
  way: Way;
  set: (way: Way) => void;
}

function Ways({ ways, way, set }: WaysProps) {
  return (
    <RadioGroup
      value={way}
      onValueChange={(next) => set(next as Way)}
      aria-label="How to write to it"
      className="flex flex-wrap gap-1"
    >
      {ways.map(({ way: each, label }) => (
        <Radio.Root
          key={each}
          value={each}
          aria-label={label}
          className="chip h-7 border border-line text-muted data-[checked]:border-accent data-[checked]:bg-accent-soft data-[checked]:text-accent"
        >
          {label}
        </Radio.Root>
      ))}
    </RadioGroup>
  );
}

/** A stage counts as done only once it is in the ledger. */
function Outcome({ name, action: { sending } }: { name: string; action: Action<Receipt> }) {
  if (sending.state === 'failed') return <Trouble error={sending.error} />;
  if (sending.state !== 'done') return null;
  const { receipt } = sending;
  return (
    <div role="status" className="space-y-1 border-t border-line pt-2">
      <p className="text-xs">
        <Plain text={receipt.sentence} />
      </p>
      {'ref' in receipt && receipt.ref && <Following name={name} reference={receipt.ref} />}
      {'command' in receipt && receipt.command && (
        <CommandLine label="Same on the command line" command={receipt.command} />
      )}
    </div>
  );
}
