import { scriptedAgent } from './quick-load.ts';

/** The scripted agent as a program of its own. */
declare const __dirname: string;

void scriptedAgent(__dirname).run(process.argv.slice(2));
