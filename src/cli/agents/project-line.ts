import { calledIn } from '../../domain/index.ts';
import type { ManifestFacts } from '../../session/index.ts';

type Named = Pick<ManifestFacts, 'agentName' | 'shortName' | 'project'>;

export const projectLine = ({ project }: Named): { project?: string } =>
  project ? { project: `${project.name} (${project.directory})` } : {};

/** Reports that the agent has another name on the machine than in its project. */
export function calledLine({ agentName, shortName, project }: Named): string {
  if (agentName === shortName || !project) return '';
  return `: ${shortName} in its project, ${calledIn(project, shortName)} elsewhere; "${shortName}" is an agent of another project`;
}
