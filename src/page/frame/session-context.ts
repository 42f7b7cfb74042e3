import { createContext, useContext } from 'react';
import type { PageSession } from '../../wire/index.ts';
import { mayDo, type Role } from '../model/session.ts';

export const SessionContext = createContext<PageSession | undefined>(undefined);

export function useSession(): PageSession {
  const session = useContext(SessionContext);
  if (!session) throw new Error('no session');
  return session;
}

/** Whether whoever looks may do what needs this role; the server decides anyway. */
export const useMay = (needed: Role): boolean => mayDo(useSession().role, needed);
