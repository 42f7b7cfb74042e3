import type { PageAgentRow } from '../../wire/index.ts';

/** `claude of app`: the project is named if an agent of another one has the same short name. */
export function toolWords({ tool, project }: Pick<PageAgentRow, 'tool' | 'project'>): string {
  return project === null ? tool : `${tool} of ${project}`;
}
