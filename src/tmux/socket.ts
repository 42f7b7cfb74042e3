import { invalid } from '../base/index.ts';
import type { ServerAddress } from './exec.ts';

/** The server a setting names: a path when it has a slash, a name in tmux's socket directory otherwise. */
export function parseSocket(setting: string | undefined): ServerAddress {
  if (setting === undefined || setting === '') return {};
  if (/[\u0000-\u001f]/.test(setting))
    throw invalid('a tmux socket must be one line without control characters');
  if (!setting.includes('/')) return { socketName: setting };
  if (!setting.startsWith('/')) {
    throw invalid(`tmux socket ${JSON.stringify(setting)} is a relative path`, {
      hint: 'Give an absolute path, or a name without a slash.',
    });
  }
  return { socketPath: setting };
}
