import { type BackendKind, CAPABILITIES, type FieldProblem, isHeadless } from '../../domain/index.ts';
import { BACKEND } from '../houmao/index.ts';

export const BACKEND_SECTIONS = ['headless', 'local_interactive', 'cao', 'houmao_server', 'codex'] as const;
export type BackendSection = (typeof BACKEND_SECTIONS)[number];

/** The one section of a manifest that belongs to its backend. */
export function backendSection(backend: BackendKind): BackendSection {
  if (isHeadless(backend)) return 'headless';
  if (backend === BACKEND.cao) return 'cao';
  if (backend === BACKEND.server) return 'houmao_server';
  return backend === BACKEND.codexServer ? 'codex' : BACKEND.terminal;
}

const IDENTITY = ['agent_name', 'agent_id', 'tmux_session_name'] as const;
const TMUX_PARTS = [
  ...IDENTITY,
  'tmux',
  'interactive',
  'agent_launch_authority',
  'gateway_authority',
] as const;
const MEMORY = ['memory_root', 'memo_file', 'pages_dir'] as const;

interface Manifest extends Partial<Record<(typeof TMUX_PARTS)[number] | BackendSection, unknown>> {
  backend: BackendKind;
  tmux?: { session_name: string } | null | undefined;
  registry_launch_authority?: string | null | undefined;
  registry_generation_id?: string | null | undefined;
  runtime?: Partial<Record<string, unknown>> | null | undefined;
  headless?: { turn_index: number; session_id?: string | null | undefined } | null | undefined;
  launch_plan: { backend: BackendKind };
}

/** The rules between the parts of a manifest. */
export function manifestProblems(manifest: Manifest): FieldProblem[] {
  return [...identityProblems(manifest), ...sectionProblems(manifest), ...runtimeProblems(manifest)];
}

function identityProblems(manifest: Manifest): FieldProblem[] {
  const { backend } = manifest;
  const problems: FieldProblem[] = [];
  if (CAPABILITIES[backend].tmux) {
    for (const part of TMUX_PARTS) {
      if (manifest[part] == null)
        problems.push({ path: [part], message: `is required for backend ${backend}` });
    }
  } else {
    for (const part of IDENTITY) {
      if (manifest[part] != null)
        problems.push({ path: [part], message: `must be absent for backend ${backend}` });
    }
  }
  if (manifest.tmux && manifest.tmux.session_name !== manifest.tmux_session_name) {
    problems.push({ path: ['tmux', 'session_name'], message: 'must equal tmux_session_name' });
  }
  if (manifest.launch_plan.backend !== backend) {
    problems.push({ path: ['launch_plan', 'backend'], message: `must equal backend, which is ${backend}` });
  }
  return problems;
}

function sectionProblems(manifest: Manifest): FieldProblem[] {
  const own = backendSection(manifest.backend);
  const problems: FieldProblem[] = [];
  for (const section of BACKEND_SECTIONS) {
    if (section === own && manifest[section] == null) {
      problems.push({ path: [section], message: `is required for backend ${manifest.backend}` });
    }
    if (section !== own && manifest[section] != null) {
      problems.push({ path: [section], message: `must be absent for backend ${manifest.backend}` });
    }
  }
  if (manifest.headless && manifest.headless.turn_index > 0 && manifest.headless.session_id == null) {
    problems.push({ path: ['headless', 'session_id'], message: 'is required once a turn has run' });
  }
  return problems;
}

function runtimeProblems({ runtime, ...manifest }: Manifest): FieldProblem[] {
  if (!runtime) return [];
  const problems: FieldProblem[] = [];
  const present = MEMORY.filter((field) => runtime[field] != null);
  if (present.length > 0 && present.length < MEMORY.length) {
    problems.push({ path: ['runtime'], message: `set all or none of ${MEMORY.join(', ')}` });
  }
  for (const field of ['registry_launch_authority', 'registry_generation_id'] as const) {
    if (runtime[field] != null && runtime[field] !== manifest[field]) {
      problems.push({ path: ['runtime', field], message: `must equal ${field} at the top` });
    }
  }
  return problems;
}
