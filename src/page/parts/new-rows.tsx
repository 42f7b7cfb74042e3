/** A button for rows that arrived while the list was held. Put it in a line that is always there. */
export function NewRows({ fresh, show }: { fresh: number; show: () => void }) {
  if (fresh === 0) return null;
  return (
    <button type="button" className="chip bg-accent text-accent-ink" onClick={show}>
      {fresh} new · show
    </button>
  );
}
