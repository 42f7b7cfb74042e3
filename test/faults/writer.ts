import { pathToFileURL } from 'node:url';
import { type Act, everyWrite } from './every-write.ts';

/** The argument of a writer. */
export interface Order {
  /** A directory for its files. */
  directory: string;
  /** The module that refuses writes, loaded before this program. */
  faults: string;
  errnos: string[];
  /** Undefined: every write; otherwise one of this many, and the first. */
  oneOf: number | undefined;
  seed: number;
}

/** The program of a writer: it refuses its own writes one after the other and reports how each act ended. */
export async function runWriter(
  open: (directory: string) => Promise<{ acts: Act[]; close(): Promise<void> }>,
) {
  const order = JSON.parse(process.argv[2]!) as Order;
  const { setFaults } = (await import(pathToFileURL(order.faults).href)) as {
    setFaults: (wanted: string) => string[];
  };
  const { acts, close } = await open(order.directory);
  const isTried = (act: string, errno: string, nth: number): boolean =>
    order.oneOf === undefined || (nth + act.length + errno.length + order.seed) % order.oneOf === 0;
  for await (const tried of everyWrite(acts, { errnos: order.errnos, isTried, setFaults }))
    console.log(JSON.stringify(tried));
  await close();
  console.log(JSON.stringify('closed'));
}
