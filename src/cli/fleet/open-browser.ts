import { spawn } from 'node:child_process';
import * as path from 'node:path';
import { ensurePrivateDirectory, findProgram, writeFileAtomic } from '../../base/index.ts';

const OPENERS = ['xdg-open', 'wslview', 'open'];

/**
 * Opens a link that has a code in it. Every account of the machine can see command lines, so the browser gets a private
 * file that redirects to the link. False when there is no browser.
 */
export function openInBrowser(url: string, directory: string, env: NodeJS.ProcessEnv): boolean {
  const graphical =
    env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['WSL_DISTRO_NAME'] || process.platform === 'darwin';
  const opener = env['BROWSER'] || OPENERS.find((name) => findProgram(name, env, '/') !== undefined);
  if (!graphical || opener === undefined) return false;
  ensurePrivateDirectory(directory);
  const file = path.join(directory, 'open-dashboard.html');
  const text = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  writeFileAtomic(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${text}">\n`, {
    mode: 0o600,
  });
  const child = spawn(opener, [file], { detached: true, stdio: 'ignore', env });
  child.on('error', () => {});
  child.unref();
  return true;
}
