import type { Sending } from './action.ts';

interface Props {
  sending: Sending<unknown>;
  label: string | undefined;
  /** What it says while that is on its way. */
  busy?: string;
  /** There is nothing to send yet, or it may not be sent. */
  isOff?: boolean;
  className?: string;
  /** The id of what says more about it. */
  describedBy?: string;
}

/** The button that sends a form: while what was sent is on its way it says so, and cannot be pressed. */
export function SendButton({ sending, label, busy = 'Sending …', isOff, className, describedBy }: Props) {
  const isSending = sending.state === 'sending';
  return (
    <button
      type="submit"
      className={className ?? 'btn btn-main ml-auto'}
      disabled={isOff || isSending}
      aria-describedby={describedBy}
    >
      {isSending ? busy : label}
    </button>
  );
}
