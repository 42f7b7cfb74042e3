import type { ReactNode } from 'react';
import type { Sending } from './action.ts';
import { Sent } from './feedback.tsx';

interface Props {
  label: string;
  className: string;
  sending: Sending<{ sentence: string }>;
  send: (form: HTMLFormElement) => Promise<void>;
  children: ReactNode;
}

/** A form with its result below its fields. */
export function SendForm({ label, className, sending, send, children }: Props) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send(event.currentTarget);
      }}
      className={className}
      aria-label={label}
    >
      {children}
      <Sent sending={sending} />
    </form>
  );
}
