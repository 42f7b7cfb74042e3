export function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** The median of the runs' times, in milliseconds. */
export async function median(
  times: number,
  work: (n: number) => Promise<unknown> | unknown,
): Promise<number> {
  const took: number[] = [];
  for (let n = 0; n < times; n++) {
    const start = performance.now();
    await work(n);
    took.push(performance.now() - start);
  }
  return middle(took);
}
