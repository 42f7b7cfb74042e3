import type { Sending } from './action.ts';
import { Plain } from './plain-text.tsx';
import { Trouble } from './said.tsx';

/** What became of what a form sent, in the server's words. */
export function Sent({ sending }: { sending: Sending<{ sentence: string }> }) {
  if (sending.state === 'failed') return <Trouble error={sending.error} />;
  if (sending.state !== 'done') return null;
  return (
    <p role="status" className="text-xs">
      <Plain text={sending.receipt.sentence} />
    </p>
  );
}
