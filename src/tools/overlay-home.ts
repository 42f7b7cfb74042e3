import * as path from 'node:path';
import { looseJson } from './loose-json.ts';
import { jsonText, membersOf } from './mcp.ts';
import type { McpAdditions, SessionPlace } from './tool.ts';

/** Where such a home is in a session. */
export const overlayHomeOf = (launchDir: string): string => path.join(launchDir, 'home');

export interface Overlay {
  /** The tool's own home, and the variable that names another. */
  source: string;
  variable: string;
  /** Relative to both homes: the directory whose entries are linked, and the file in it that we copy and extend. */
  inside: string;
  file: string;
  /** Other entries of the home itself that the tool reads. */
  beside?: string[];
  entry: object;
  /** Other members we add to the copy of their file. */
  more?: ((theirs: Record<string, unknown>) => object) | undefined;
}

/**
 * A home for a tool that takes servers only from its own file. Every entry is a link to the person's, except that one
 * file, which is a copy with our entry added. Their file is not touched. A file that the tool replaces by renaming belongs
 * to the session and ends with it.
 */
export function overlayHome(
  place: SessionPlace,
  { source, variable, inside, file, beside = [], entry, more }: Overlay,
  server: string,
): McpAdditions {
  const theirs = path.join(source, inside);
  const home = overlayHomeOf(place.launchDir);
  const ours = path.join(home, inside);
  const text = place.read(path.join(theirs, file));
  const document = text === undefined || text.trim() === '' ? {} : looseJson(text);
  if (document === null || typeof document !== 'object') {
    return { declined: `${path.join(theirs, file)} is not JSON, so nothing can be added to a copy of it` };
  }
  const servers = { ...membersOf(document, 'mcpServers'), [server]: entry };
  const content = jsonText({
    ...document,
    ...more?.(document as Record<string, unknown>),
    mcpServers: servers,
  });
  const entries = new Set([...place.entries(theirs), 'skills']);
  entries.delete(file);
  return {
    door: place.mcp?.http ? 'http' : 'stdio',
    server,
    args: [],
    files: [{ path: path.join(ours, file), content }],
    links: [
      ...[...entries].map((name) => ({ path: path.join(ours, name), target: path.join(theirs, name) })),
      ...beside.map((name) => ({ path: path.join(home, name), target: path.join(source, name) })),
    ],
    env: { [variable]: home },
    metadata: { mcp_home: { ours, theirs, file } },
  };
}
