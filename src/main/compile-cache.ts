import * as fs from 'node:fs';
import * as module from 'node:module';
import * as os from 'node:os';

/** Node 22.1 and newer. */
const { enableCompileCache } = module as { enableCompileCache?: (directory: string) => unknown };

/**
 * Lets Node cache the compiled code of this program in `rouse` in the account's cache directory. Node writes there when a
 * process ends that compiled something new. Cached code is executed, so a directory that other accounts can write to is
 * not used. NODE_DISABLE_COMPILE_CACHE=1 switches it off, NODE_COMPILE_CACHE names another directory (both are Node's own).
 */
export function useCompileCache(env: NodeJS.ProcessEnv): void {
  if (!enableCompileCache || env['NODE_DISABLE_COMPILE_CACHE']) return;
  const home = env['HOME'] || os.homedir();
  const caches = env['XDG_CACHE_HOME']?.startsWith('/') ? env['XDG_CACHE_HOME'] : `${home}/.cache`;
  const own = `${caches}/rouse`;
  try {
    if (!isOwn(home)) return;
    fs.mkdirSync(own, { recursive: true, mode: 0o700 });
    if (isOwn(caches) && isOwn(own)) enableCompileCache(own);
  } catch {
    // The cache only saves time.
  }
}

/** A directory that only this account, or root, can change. */
function isOwn(directory: string): boolean {
  const { uid, mode } = fs.statSync(directory);
  return uid === process.getuid?.() && (mode & 0o022) === 0;
}
