import type { Sending } from './action.ts';

interface Props {
  sending: Sending<unknown>;
  label: string | undefined;
  /** Its label while sending. */
  busy?: string;
  /** There is nothing to send yet, or sending is not allowed. */
  isOff?: boolean;
  className?: string;
  /** The id of an element that describes it. */
  describedBy?: string;
}

/** The button that sends a form. It is disabled while sending. */
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
