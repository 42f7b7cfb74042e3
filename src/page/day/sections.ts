import type { PageDigestEntry } from '../../wire/index.ts';

interface Section {
  section: PageDigestEntry['section'];
  label: string;
  colour: string;
}

/** In the order of what a person does first. */
export const SECTIONS: readonly Section[] = [
  { section: 'waiting', label: 'Still waiting', colour: 'bg-need-soft text-need' },
  { section: 'failed', label: 'Failed', colour: 'bg-need-soft text-need' },
  { section: 'unusual', label: 'Unusual', colour: 'bg-wait-soft text-wait' },
  { section: 'asked', label: 'Asked', colour: 'bg-accent-soft text-accent' },
  { section: 'finished', label: 'Finished', colour: 'bg-idle-soft text-idle' },
];
