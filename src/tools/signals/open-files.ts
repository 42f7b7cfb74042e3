import { childrenOf, errnoOf, openFilesOf } from '../../base/index.ts';

/** The files that a process and its children hold open; `apart` is a child to leave out. Throws if they cannot be read. */
export function filesOpenIn(pid: number, apart?: number): string[] {
  const children = childrenOf(pid).filter((child) => child !== apart);
  return [...openFilesOf(pid), ...children.flatMap(openFilesOfChild)];
}

/** A child that runs as another account (sudo) keeps its files to itself. */
function openFilesOfChild(pid: number): string[] {
  try {
    return openFilesOf(pid);
  } catch (error) {
    if (errnoOf((error as Error).cause) === 'EACCES') return [];
    throw error;
  }
}
