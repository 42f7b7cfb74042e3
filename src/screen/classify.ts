import { isShell } from '../base/index.ts';
import { reasonTexts } from '../domain/index.ts';
import { type CaptureFile, parseCaptureFile } from './capture-file.ts';
import type { Detector } from './detector.ts';
import type { Facts, ProcessFacts } from './facts.ts';
import { observe } from './observe.ts';
import { decideReadiness } from './turn/readiness.ts';

/** The meaning of one captured screen. */
export interface Classification {
  file: string;
  tool: string;
  tool_version: string | null;
  version_status: Facts['version']['status'];
  ready: boolean;
  phase: Facts['phase']['value'];
  dialog: Facts['dialog']['value'];
  menu: Facts['menu']['value'];
  /** Text of a draft; null if the composer holds none, or there is no composer. */
  draft: string | null;
  placeholder: string | null;
  composer: 'empty' | 'placeholder' | 'draft' | 'unclear' | 'absent';
  reasons: string[];
  detail: string[];
  surface: Record<keyof Facts['surface'], string>;
  business_state: Facts['business_state'];
  input_mode: Facts['input_mode'];
  usage_limit: Facts['limit']['value'];
  evidence: Facts['evidence'];
}

/** Applies the gate to one screen alone. Unless the capture shows otherwise, the tool is assumed to be alive and the screen still. */
export function classifyCapture(
  text: string,
  file: string,
  detectorFor: (alternate: boolean | undefined) => Detector,
  version?: string,
): Classification {
  const capture = parseCaptureFile(text, file);
  const detector = detectorFor(capture.screen.alternate);
  const process: ProcessFacts = {
    foreground: foregroundOf(capture),
    ...(version === undefined ? {} : { version }),
  };
  const facts = observe({
    screen: capture.screen,
    detector,
    process,
  });
  const gate = decideReadiness(facts, { stable: true });
  const reasons = gate.ready ? [] : gate.reasons;
  const composer = facts.composer.value;
  const { surface } = facts;
  return {
    file,
    tool: detector.tool,
    tool_version: version ?? null,
    version_status: facts.version.status,
    ready: gate.ready,
    phase: facts.phase.value,
    dialog: facts.dialog.value,
    menu: facts.menu.value,
    draft: composer?.state === 'draft' || composer?.state === 'unclear' ? composer.text : null,
    placeholder: composer?.state === 'placeholder' ? composer.text.trim() : null,
    composer: composer?.state ?? 'absent',
    reasons: [...new Set(reasons.map(({ code }) => code))],
    detail: reasonTexts(reasons),
    surface: {
      accepting_input: surface.accepting_input.value,
      editing_input: surface.editing_input.value,
      ready_posture: surface.ready_posture.value,
      pending_input: surface.pending_input.value,
    },
    business_state: facts.business_state,
    input_mode: facts.input_mode,
    usage_limit: facts.limit.value,
    evidence: facts.evidence,
  };
}

function foregroundOf({ command }: CaptureFile): ProcessFacts['foreground'] {
  return command !== undefined && isShell(command) ? 'shell' : 'tool';
}
