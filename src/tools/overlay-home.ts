import * as path from 'node:path';
import { looseJson } from './loose-json.ts';
import { jsonText, membersOf } from './mcp.ts';
import type { McpAdditions, SessionPlace } from './tool.ts';

/** Where such a home stands in a session. */
export const overlayHomeOf = (launchDir: string): string => path.join(launchDir, 'home');

export interface Overlay {
  /** The tool's own home, and the variable that names another. */
  source: string;
  variable: string;
  /** Below both: the directory whose entries are linked, and the file in it that is ours with theirs inside. */
  inside: string;
  file: string;
  /** Of the person's home itself, what the tool reads there too. */
  beside?: string[];
  entry: object;
  /** What else is ours in the copy of their file. */
  more?: ((theirs: Record<string, unknown>) => object) | undefined;
}

/**
 * A home for a tool that takes servers from its own file only: every entry leads to the person's, but for that one file,
 * which holds theirs and ours. Their file is not touched. What the tool replaces by renaming becomes the session's own, and
 * ends with it.
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
