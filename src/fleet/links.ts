import { fillPath, PAGE_SHELL_ROUTES } from '../wire/index.ts';

/** Links to places of the page. */
const at = (path: string, parameters: Record<string, string>): string => {
  const query = new URLSearchParams(parameters).toString();
  return query === '' ? path : `${path}?${query}`;
};

export const agentLink = (name: string, more: Record<string, string> = {}): string =>
  at(
    fillPath(PAGE_SHELL_ROUTES['page.shell.agent'].path, () => encodeURIComponent(name)),
    more,
  );

export const requestLink = (id: string): string => at(PAGE_SHELL_ROUTES['page.shell.requests'].path, { id });

export const mailLink = (mailbox: string, more: Record<string, string> = {}): string =>
  at(PAGE_SHELL_ROUTES['page.shell.mail'].path, { mailbox, ...more });
