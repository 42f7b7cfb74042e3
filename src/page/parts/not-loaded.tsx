import { Loading, Trouble } from './said.tsx';

interface Props {
  asked: { error: unknown; refetch: () => unknown };
  /** What is awaited, for those who hear the page. */
  what: string;
  rows?: number;
  /** Nothing around it keeps trouble away from the edge. */
  isBare?: boolean;
}

/** In place of what a question has not brought: that it is on its way, or why it does not come. */
export function NotLoaded({ asked: { error, refetch }, what, rows, isBare = false }: Props) {
  if (!error) return <Loading what={what} {...(rows !== undefined && { rows })} />;
  const trouble = <Trouble error={error} again={() => void refetch()} />;
  return isBare ? <div className="p-4">{trouble}</div> : trouble;
}
