import { unavailable } from '../base/index.ts';

/**
 * Reads tmux objects as records: one line each, with fields separated by tabs. Programs in the panes choose names, titles
 * and commands, so tmux itself removes control characters from every field; a tab or a line end in a title can neither move
 * a field nor forge a line.
 */
export type Field = readonly [variable: string, read: (text: string) => unknown];
export type RecordOf<F extends Record<string, Field>> = {
  [K in keyof F]: F[K][1] extends (text: string) => infer T ? T : never;
};

export const text = (value: string): string => value;
export const flag = (value: string): boolean => value !== '' && value !== '0';
export const count = (value: string): number => Number(value);
/** Absent in this version of tmux, or not applicable now. */
export const optionalCount = (value: string): number | undefined =>
  value === '' ? undefined : Number(value);
export const optionalFlag = (value: string): boolean | undefined =>
  value === '' ? undefined : value !== '0';
export const words = (value: string): string[] => value.split(',').filter((word) => word !== '');
/** Whole seconds since the epoch. */
export const time = (value: string): Date => new Date(Number(value) * 1000);

export function recordFormat(fields: Record<string, Field>): string {
  return Object.values(fields)
    .map(([variable]) => `#{s/[\u0001-\u001f\u007f]/?/:${variable}}`)
    .join('\t');
}

export function readRecord<F extends Record<string, Field>>(fields: F, line: string): RecordOf<F> {
  const values = line.split('\t');
  const entries = Object.entries(fields);
  if (values.length !== entries.length)
    throw unavailable('the program at the tmux socket does not respond like a tmux server', {
      hint: 'check ROUSE_TMUX_SOCKET, and that "tmux ls" works on that socket',
      facts: { fields: values.length, wanted: entries.length },
    });
  return Object.fromEntries(entries.map(([key, [, read]], at) => [key, read(values[at]!)])) as RecordOf<F>;
}

export function readRecords<F extends Record<string, Field>>(fields: F, output: string): RecordOf<F>[] {
  return output === '' ? [] : output.split('\n').map((line) => readRecord(fields, line));
}
