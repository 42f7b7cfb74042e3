import { createContext, useContext } from 'react';
import type { PageRight } from '../../domain/tables.ts';
import type { PageSession } from '../../wire/index.ts';

export const SessionContext = createContext<PageSession | undefined>(undefined);

export function useSession(): PageSession {
  const session = useContext(SessionContext);
  if (!session) throw new Error('no session');
  return session;
}

/** Whether the person has this right. Only for display: the server checks again. */
export const useMay = (right: PageRight): boolean => useSession().rights.includes(right);
